import { Readable, type Writable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import type { Entry } from 'yauzl';
import { ZipFile } from 'yazl';
import { LimitlineError, messageOf } from '../../errors.ts';
import { openZip, type Zip } from '../../files/zip.ts';
import { cellName, columnOf, escaped, escapedAsText } from '../xlsx/cell-xml.ts';
import { openWorkbook, ZIP_LIMITS } from '../xlsx/workbook.ts';
import type { RecordMend } from './mend-text.ts';

/**
 * The part of a workbook with the order of Excel's calculations. A corrected copy lacks it: it may name cells that lose their formulas, and
 * Excel makes it anew.
 */
const CHAIN = /^xl\/calcChain\d*\.xml$/i;
const NAMES_CHAIN = /^(?:\[Content_Types\]\.xml|xl\/_rels\/workbook\w*\.xml\.rels)$/i;
const CHAIN_ENTRY = /<(?:[\w.-]+:)?(?:Override|Relationship)\b[^<>]*calcChain\d*\.xml"[^<>]*\/>/gi;

/**
 * Copies a workbook with new texts in some cells of a sheet. All else stays. Text that looks like a formula stays text.
 *
 * @throws LimitlineError `FILE` when the workbook is unreadable or the copy fails; `USAGE` for a row broken as a whole
 */
export async function mendSheet(
  { path, sheet, to }: { path: string; sheet: string; to: Writable },
  mends: readonly RecordMend[],
): Promise<void> {
  const wanted: SheetMends = new Map(mends.map((mend) => [mend.line, cellsOf(mend)]));
  const part = await partOf(path, sheet);
  const zip = await openZip(path, ZIP_LIMITS);
  const book = new ZipFile();
  try {
    for await (const entry of zip.entries()) {
      const { fileName } = entry;
      if (CHAIN.test(fileName) || fileName.endsWith('/')) continue;
      const content = () => contentOf(entry, { zip, part, wanted });
      book.addReadStreamLazy(fileName, { mtime: entry.getLastModDate() }, (done) => {
        content().then(
          // A read error must end the output as well; otherwise it would wait forever.
          (stream) =>
            done(
              null,
              stream.once('error', (error) => (book.outputStream as Readable).destroy(error)),
            ),
          (error: unknown) => (book.outputStream as Readable).destroy(error as Error),
        );
      });
    }
    book.end();
    await pipeline(book.outputStream, to);
  } catch (error) {
    if (error instanceof LimitlineError) throw error;
    throw new LimitlineError('FILE', `The workbook cannot be written: ${messageOf(error)}.`, { cause: error });
  } finally {
    zip.close();
  }
}

/** New cell texts by row number and column index. */
type SheetMends = ReadonlyMap<number, ReadonlyMap<number, string>>;

/**
 * A sheet's XML with new texts in some cells, which keep their formats. The rest is passed through. Rows with
 * corrections are held in memory as a whole, others in pieces.
 *
 * @throws Error with the numbers of missing rows
 */
async function* mendSheetXml(chunks: AsyncIterable<Buffer>, mends: SheetMends): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  const left = new Set(mends.keys());
  let rest = '';
  let last = 0;

  /** Passes on the part of the text that is complete XML, and keeps the rest for the next chunk. */
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
    // A tag at the chunk's end may continue in the next chunk, so the text is cut before it.
    const cut = Math.max(at, text.lastIndexOf('<') > text.lastIndexOf('>') ? text.lastIndexOf('<') : text.length);
    rest = text.slice(cut);
    return out + text.slice(at, cut);
  }

  for await (const chunk of chunks) yield pass(rest + decoder.write(chunk));
  yield rest + decoder.end();
  if (left.size > 0) throw new Error(`the sheet has no row ${[...left].join(', ')}`);
}

function cellsOf(mend: RecordMend): ReadonlyMap<number, string> {
  if ('cells' in mend) return mend.cells;
  const message = `Row ${mend.line} of the sheet is broken as a whole: correct it in Excel, and upload the workbook again.`;
  throw new LimitlineError('USAGE', message);
}

async function partOf(path: string, name: string): Promise<string> {
  const book = await openWorkbook({ path, vocabulary: { saysThousands: () => false, namesCurrency: () => false } });
  const sheet = typeof book === 'string' ? undefined : book?.sheets.find((one) => one.name === name);
  if (book && typeof book !== 'string') book.close();
  if (sheet) return sheet.path;
  throw new LimitlineError('FILE', `The workbook has no sheet "${name}".`);
}

async function contentOf(
  entry: Entry,
  { zip, part, wanted }: { zip: Zip; part: string; wanted: SheetMends },
): Promise<Readable> {
  const stream = await zip.read(entry);
  if (entry.fileName === part) return Readable.from(mendSheetXml(stream, wanted));
  if (!NAMES_CHAIN.test(entry.fileName)) return stream;
  return Readable.from([(await textOf(stream)).replace(CHAIN_ENTRY, '')]);
}

/** A row's opening tag. Its attributes are numbers and flags, so none contains a `>`. */
const ROW = /<((?:[\w.-]+:)?)row(?=[\s/>])([^<>]*)>/g;

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
