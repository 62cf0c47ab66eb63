import { StringDecoder } from 'node:string_decoder';
import { cellName, columnOf, escaped, escapedAsText } from '../xlsx/cell-xml.ts';

/** New cell texts by row number and column index. */
export type SheetMends = ReadonlyMap<number, ReadonlyMap<number, string>>;

/** A row's opening tag. Its attributes are numbers and flags, so none contains a `>`. */
const ROW = /<((?:[\w.-]+:)?)row(?=[\s/>])([^>]*)>/g;

/**
 * A sheet's XML with new texts in some cells, which keep their formats. The rest is passed through. Rows with
 * corrections are held in memory as a whole, others in pieces.
 *
 * @throws Error with the numbers of missing rows
 */
export async function* mendSheetXml(chunks: AsyncIterable<Buffer>, mends: SheetMends): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  const left = new Set(mends.keys());
  let rest = '';
  let last = 0;

  /** Returns the part of the text that is complete, and keeps the rest for the next chunk. */
  function pass(text: string): string {
    let out = '';
    let at = 0;
    ROW.lastIndex = 0;
    for (let found = ROW.exec(text); found; found = ROW.exec(text)) {
      const [tag, prefix = '', attributes = ''] = found;
      const row = Number(attributeOf(attributes, 'r') ?? last + 1);
      const cells = mends.get(row);
      if (cells && left.has(row)) {
        const behind = found.index + tag.length;
        const close = `</${prefix}row>`;
        const isEmpty = attributes.endsWith('/');
        const end = isEmpty ? behind : text.indexOf(close, behind);
        if (end === -1) {
          rest = text.slice(found.index);
          return out + text.slice(at, found.index);
        }
        const inside = isEmpty ? '' : text.slice(behind, end);
        const opening = isEmpty ? `${tag.slice(0, -2)}>` : tag;
        out += text.slice(at, found.index) + opening + mendRow(inside, { row, prefix, cells }) + close;
        at = isEmpty ? behind : end + close.length;
        ROW.lastIndex = at;
        left.delete(row);
      }
      last = row;
    }
    // A tag may be split between chunks.
    const cut = Math.max(at, text.lastIndexOf('<') > text.lastIndexOf('>') ? text.lastIndexOf('<') : text.length);
    rest = text.slice(cut);
    return out + text.slice(at, cut);
  }

  for await (const chunk of chunks) yield pass(rest + decoder.write(chunk));
  yield rest + decoder.end();
  if (left.size > 0) throw new Error(`the sheet has no row ${[...left].join(', ')}`);
}

type RowMend = { row: number; prefix: string; cells: ReadonlyMap<number, string> };

function mendRow(inside: string, { row, prefix, cells }: RowMend): string {
  const cellPattern = new RegExp(`<${prefix}c(?=[\\s/>])([^>]*?)(?:/>|>[\\s\\S]*?</${prefix}c>)`, 'g');
  const waiting = [...cells].sort(([a], [b]) => a - b);
  let out = '';
  let at = 0;
  let next = 0;
  for (const found of inside.matchAll(cellPattern)) {
    const [whole, attributes = ''] = found;
    const name = attributeOf(attributes, 'r');
    const column = name === undefined ? next : columnOf(name);
    next = column + 1;
    out += inside.slice(at, found.index);
    while (waiting[0] && waiting[0][0] < column) out += cellOf(waiting.shift(), { row, prefix });
    const isMeant = waiting[0]?.[0] === column;
    out += isMeant ? cellOf(waiting.shift(), { row, prefix, style: attributeOf(attributes, 's') }) : whole;
    at = found.index + whole.length;
  }
  // New cells come before the other elements at a row's end.
  const added = waiting.map((one) => cellOf(one, { row, prefix })).join('');
  return out + added + inside.slice(at);
}

function cellOf(
  mend: readonly [number, string] | undefined,
  { row, prefix, style }: { row: number; prefix: string; style?: string | undefined },
): string {
  if (!mend) return '';
  const [column, text] = mend;
  const head = `<${prefix}c r="${cellName(column, row)}"${style === undefined ? '' : ` s="${style}"`}`;
  if (text === '') return `${head}/>`;
  const content = escaped(escapedAsText(text));
  return `${head} t="inlineStr"><${prefix}is><${prefix}t xml:space="preserve">${content}</${prefix}t></${prefix}is></${prefix}c>`;
}

function attributeOf(attributes: string, name: string): string | undefined {
  return new RegExp(`(?:^|\\s)${name}=(?:"([^"]*)"|'([^']*)')`)
    .exec(attributes)
    ?.slice(1)
    .find((one) => one !== undefined);
}
