import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { makeDocumentFolder } from '../../src/documents/folder.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import { openPortfolio, type PortfolioFile } from '../../src/portfolio/open-portfolio.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const BOOK = '<workbook xmlns:r="r"><sheets><sheet name="Buyers" r:id="rId1"/></sheets><definedNames/></workbook>';
const RELATIONS = '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>';

/** A header row with the two required columns. */
export const HEADER = '<row r="1"><c r="A1" t="str"><v>name</v></c><c r="B1" t="str"><v>requested_limit</v></c></row>';

/** The compression level makes no difference to a reader, and this one packs a hundred megabytes in half the time. */
const FAST = { compressionLevel: 1 };

/** The XML of the parts of a workbook, in pieces, so that the test does not need more memory than the reader may. */
export type Parts = { sheet: Iterable<string>; texts?: Iterable<string>; styles?: Iterable<string>; book?: string };

/** Writes a workbook whose parts may have any size and faults. */
export async function writeWorkbook(path: string, { sheet, texts, styles, book = BOOK }: Parts): Promise<string> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(book), 'xl/workbook.xml');
  zip.addBuffer(Buffer.from(RELATIONS), 'xl/_rels/workbook.xml.rels');
  const add = (element: string, content: Iterable<string>, name: string) =>
    zip.addReadStream(Readable.from(within(element, content)), name, FAST);
  if (texts) add('sst', texts, 'xl/sharedStrings.xml');
  if (styles) add('styleSheet', styles, 'xl/styles.xml');
  add('worksheet', sheet, 'xl/worksheets/sheet1.xml');
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
  return path;
}

/** The element in larger pieces, because zlib is called for each. */
function* within(name: string, content: Iterable<string>): Generator<string> {
  let piece = `<${name}>`;
  for (const part of content) {
    piece += part;
    if (piece.length < 64 * 1024) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}</${name}>`;
}

/** So many pieces, each made from its number. */
export function* times(count: number, piece: (n: number) => string): Generator<string> {
  for (let n = 1; n <= count; n += 1) yield piece(n);
}

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A sheet of a workbook: its visibility state, the XML of its rows, and its type if it is no sheet of cells. */
export type Sheet = { name: string; state?: string; rows?: string; type?: string };

/** Writes a workbook with these sheets; a sheet without rows is empty. */
export async function writeSheets(path: string, sheets: Sheet[]): Promise<string> {
  const entries = sheets.map(
    ({ name, state }, n) => `<sheet name="${name}"${state ? ` state="${state}"` : ''} r:id="rId${n}"/>`,
  );
  const relations = sheets.map(
    ({ type = 'worksheet' }, n) =>
      `<Relationship Id="rId${n}" Type="${OFFICE}/${type}" Target="worksheets/sheet${n}.xml"/>`,
  );
  return writeZip(path, {
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${entries.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${relations.join('')}</Relationships>`,
    ...Object.fromEntries(
      sheets.map(({ rows = '<row r="1"><c r="A1" s="1"/></row>' }, n) => [
        `xl/worksheets/sheet${n}.xml`,
        `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
  });
}

/** A row of two texts, a name and a limit. */
export function rowOf(line: number, [name = '', limit = '']: string[], attributes = ''): string {
  return `<row r="${line}" ${attributes}><c t="str"><v>${name}</v></c><c t="str"><v>${limit}</v></c></row>`;
}

/** A number and the format code of its cell. */
export type Formatted = { value: string; code: string };

/** Writes a workbook with a header and rows of texts and formatted numbers. */
export function writeFormatted(path: string, header: string[], rows: (string | Formatted)[][]): Promise<string> {
  const codes = rows.flat().flatMap((one) => (typeof one === 'string' ? [] : [one.code]));
  const text = (one: string) => `<c t="str"><v>${one}</v></c>`;
  const cell = (one: string | Formatted) =>
    typeof one === 'string' ? text(one) : `<c s="${codes.indexOf(one.code)}"><v>${one.value}</v></c>`;
  const formats = codes.map(
    (code, n) => `<numFmt numFmtId="${164 + n}" formatCode="${code.replaceAll('"', '&quot;')}"/>`,
  );
  return writeWorkbook(path, {
    sheet: [
      `<row>${header.map(text).join('')}</row>`,
      ...rows.map((cells) => `<row>${cells.map(cell).join('')}</row>`),
    ],
    styles: [...formats, '<cellXfs>', ...codes.map((_code, n) => `<xf numFmtId="${164 + n}"/>`), '</cellXfs>'],
  });
}

/** Reads a whole workbook as a portfolio. @param write writes the workbook to a path. */
export async function readWorkbook(write: (path: string) => Promise<unknown>, given: Partial<PortfolioFile> = {}) {
  const { dir } = await makeTemporaryFolder();
  const path = join(dir, 'a.xlsx');
  await write(path);
  const opened = await openPortfolio({ path, ...given });
  return { ...opened, lines: await all(opened.batches()) };
}

export const NOW = new Date('2026-11-21T00:00:00Z');
export const PDF = '%PDF-1.4\n%\u00e2\u00e3\n';

/** Writes the file and the documents, and reads all lines. */
export async function read(content: string | Uint8Array, options: Partial<PortfolioFile> & { pdfs?: string[] } = {}) {
  const { dir, write } = await makeTemporaryFolder();
  const { pdfs, ...rest } = options;
  for (const name of pdfs ?? []) await write(`documents/${name}`, PDF);
  const documents = pdfs && makeDocumentFolder({ dir: join(dir, 'documents'), maxSizeMb: 1 });
  const path = await write('portfolio.csv', content);
  const opened = await openPortfolio({ path, documents, now: NOW, ...rest });
  return { ...opened, lines: await all(opened.batches()) };
}

export async function all(batches: AsyncIterable<Line[]>): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const batch of batches) lines.push(...batch);
  return lines;
}

/** The problems of the lines, as `line column: message`. */
export function told(lines: Line[]): string[] {
  return lines.flatMap((line) =>
    (line.kind === 'row' ? line.warnings : line.problems).map((one) => `${one.line} ${one.column}: ${one.message}`),
  );
}

/** Writes a ZIP file with these entries. */
export async function writeZip(path: string, entries: Record<string, string | Uint8Array>): Promise<string> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(entries)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
  return path;
}
