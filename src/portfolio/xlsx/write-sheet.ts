import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { escapedAsText } from './escapes.ts';

/**
 * Writes a workbook with one sheet (ECMA-376, part 1), record by record. Texts are written as texts, so that nothing in
 * them is run as a formula; columns of amounts are written as numbers.
 *
 * @param isAmount whether a column's cells, below the header, are canonical decimals or empty.
 */
export async function writeSheet(
  records: AsyncIterable<readonly string[]>,
  to: Writable,
  { name, isAmount }: { name: string; isAmount(column: number): boolean },
): Promise<void> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(partsOf(name))) zip.addBuffer(Buffer.from(DECLARATION + content), path);
  const sheet = Readable.from(sheetXml(records, isAmount));
  // A fault while the records are read must end the file as well, and not leave it waiting.
  sheet.once('error', (error) => (zip.outputStream as Readable).destroy(error));
  zip.addReadStream(sheet, SHEET);
  zip.end();
  await pipeline(zip.outputStream, to);
}

const SHEET = 'xl/worksheets/sheet1.xml';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Larger pieces make fewer trips through the compressor. */
const PIECE_LENGTH = 64 * 1024;

async function* sheetXml(records: AsyncIterable<readonly string[]>, isAmount: (column: number) => boolean) {
  let piece = `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetData>`;
  let line = 0;
  for await (const cells of records) {
    line += 1;
    const asNumbers = line > 1;
    piece += `<row r="${line}">${cells.map((cell, at) => cellXml(cell, asNumbers && isAmount(at))).join('')}</row>`;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}</sheetData></worksheet>`;
}

function cellXml(text: string, isAmount: boolean): string {
  if (text === '') return '<c/>';
  if (isAmount) return `<c><v>${escaped(text)}</v></c>`;
  return `<c t="inlineStr"><is><t xml:space="preserve">${escaped(escapedAsText(text))}</t></is></c>`;
}

/** Characters that XML 1.0 cannot hold at all become U+FFFD: cells of broken lines may have them. */
function escaped(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text
    .toWellFormed()
    .replace(FORBIDDEN, '\ufffd')
    .replace(/[&<>\r]/g, (one) => ESCAPES[one] ?? one);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const SPECIAL = /[&<>\0-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

/** All other parts that Excel wants. */
function partsOf(name: string): Record<string, string> {
  // Excel's limits for the name of a sheet.
  const sheetName = escaped(name.replace(/[\\/?*[\]:]/g, '-').slice(0, 31)).replaceAll('"', '&quot;');
  return {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/${SHEET}" ContentType="${TYPE}.worksheet+xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${sheetName}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
  };
}
