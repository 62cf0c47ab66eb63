import type { Readable } from 'node:stream';
import type { Entry } from 'yauzl';
import { ownText } from '../../files/text.ts';
import { openZip, type ZipLimits } from '../../files/zip.ts';
import type { Vocabulary } from '../find-header.ts';
import { foreignPackageOf } from '../foreign-tables.ts';
import { unescaped } from './cell-xml.ts';
import { type CellStyle, styleOf } from './number-format.ts';
import { atMost, makePartEntries, named, type Relation, readRelations, relationsOf } from './package.ts';
import { LIMITS, makeTextParts, REMEDY, readXml } from './parse-xml.ts';

/** A sheet. `hidden`: it is invisible when the workbook opens, whether a click or only a macro shows it (`veryHidden`). */
export type SheetEntry = { name: string; path: string; hidden: boolean };

type BookFile = {
  path: string;
  vocabulary: Pick<Vocabulary, 'saysThousands' | 'namesCurrency'>;
  signal?: AbortSignal | undefined;
};

/** The parts of a workbook that reading a sheet needs. */
export type Workbook = {
  /** The sheets with cells, in order. */
  sheets: SheetEntry[];
  /** Texts that cells refer to by number. */
  shared: string[];
  /** The numbers of those texts through which, or through a part of which, a line goes. */
  struck: ReadonlySet<number>;
  /** How each cell format shows numbers. */
  styles: CellStyle[];
  from1904: boolean;
  /** Whether its writer calculates no formula, and gives each zero or an empty text in place of a result. */
  isUncalculated: boolean;
  open(path: string): Promise<Readable>;
  close(): void;
};

/** Limits for unpacking a workbook, which has some twenty parts. A sheet of a million lines unpacks to about a gigabyte. */
export const ZIP_LIMITS: ZipLimits = { entries: 10_000, totalBytes: 4 * 1024 ** 3 };

/**
 * Opens an Excel workbook (ECMA-376, part 1). null for a ZIP file of another kind; a message for another program's table.
 *
 * @throws Error with a readable message for a broken workbook or exceeded `LIMITS`; LimitlineError `STOPPED`.
 */
export async function openWorkbook({ path, signal, vocabulary }: BookFile): Promise<Workbook | string | null> {
  const zip = await openZip(path, ZIP_LIMITS);
  try {
    const entries: Entry[] = [];
    for await (const entry of zip.entries()) entries.push(entry);
    const parts = makePartEntries(entries);
    const open = async (name: string): Promise<Readable> => {
      const entry = parts.find(name);
      if (!entry) throw new Error(`it lacks its part ${name}`);
      return zip.read(entry);
    };
    const relations = async (of: string) =>
      readRelations(await open(relationsOf(of)), { of, most: ZIP_LIMITS.entries, signal });
    const main = parts.find(relationsOf('')) ? bookIn(await relations('')) : BOOK;
    if (!parts.find(main)) {
      zip.close();
      return foreignPackageOf(entries.map(({ fileName }) => fileName));
    }
    const targets = await relations(main);
    const textsPart = partOf(targets, 'sharedStrings') ?? TEXTS;
    const texts = parts.find(textsPart) ? await readSharedTexts(await open(textsPart), signal) : NO_TEXTS;
    const stylesPart = partOf(targets, 'styles') ?? STYLES;
    const styles = parts.find(stylesPart) ? await readStyles(await open(stylesPart), vocabulary, signal) : [];
    const { sheets, ...book } = await readBook(await open(main), targets, signal);
    const found = sheets.map((sheet) => ({ ...sheet, path: parts.find(sheet.path)?.fileName ?? sheet.path }));
    return { ...book, ...texts, sheets: found, styles, open, close: () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

const NO_TEXTS: Pick<Workbook, 'shared' | 'struck'> = { shared: [], struck: new Set() };

/** The usual paths of parts, for archives that do not say them. */
const BOOK = 'xl/workbook.xml';
const TEXTS = 'xl/sharedStrings.xml';
const STYLES = 'xl/styles.xml';

/** The path of the workbook's main part. SharePoint, for one, calls it `workbook2.xml`. */
function bookIn(relations: ReadonlyMap<string, Relation>): string {
  const path = partOf(relations, 'officeDocument');
  return path !== undefined && /\bworkbook\w*\.xml$/i.test(path) ? path : BOOK;
}

function partOf(relations: ReadonlyMap<string, Relation>, kind: string): string | undefined {
  return [...relations.values()].find((one) => one.kind === kind)?.path;
}

/** Charts and dialogs are sheets without cells. */
const OTHER_SHEETS = /^(chartsheet|dialogsheet|xlMacrosheet|xlIntlMacrosheet)$/;

async function readBook(
  stream: Readable,
  targets: ReadonlyMap<string, Relation>,
  signal: AbortSignal | undefined,
): Promise<Pick<Workbook, 'sheets' | 'from1904' | 'isUncalculated'>> {
  const sheets: Workbook['sheets'] = [];
  let from1904 = false;
  let isUncalculated = false;
  const addSheet = (attributes: Record<string, string>): void => {
    // The prefix is usually r:, and another one where a program wrote the part anew.
    const [, id = ''] = Object.entries(attributes).find(([name]) => name.endsWith(':id')) ?? [];
    const target = targets.get(id);
    if (!target || OTHER_SHEETS.test(target.kind)) return;
    const hidden = ['hidden', 'veryHidden'].includes(attributes.state ?? '');
    sheets.push({ name: named(attributes.name ?? ''), path: target.path, hidden });
  };
  const handler = {
    open(name: string, attributes: Record<string, string>) {
      if (name === 'workbookPr') from1904 = isTrue(attributes.date1904);
      if (name === 'calcPr') isUncalculated = attributes.calcId === XLSX_WRITER && isTrue(attributes.fullCalcOnLoad);
      if (name === 'sheet') addSheet(attributes);
      atMost(sheets.length, LIMITS.sheets, 'sheets');
    },
  };
  await readXml(stream, handler, signal);
  return { sheets, from1904, isUncalculated };
}

/** The version of Excel's calculation that XlsxWriter names, as openpyxl does. Both ask Excel to calculate everything when it opens the file. */
const XLSX_WRITER = '124519';

const isTrue = (written = ''): boolean => ['1', 'true'].includes(written);

/** Whether an element is one that draws a line through text (ECMA-376, part 1, 18.4.10). Without a value it means yes. */
export function isStrike(name: string, { val = '1' }: Record<string, string>): boolean {
  return name === 'strike' && isTrue(val);
}

async function readStyles(
  stream: Readable,
  vocabulary: BookFile['vocabulary'],
  signal: AbortSignal | undefined,
): Promise<CellStyle[]> {
  const codes = new Map<number, string>();
  const styles: CellStyle[] = [];
  const struckFonts = new Set<number>();
  let fonts = 0;
  let within = '';
  const handler = {
    open(name: string, attributes: Record<string, string>) {
      const { numFmtId = '0', formatCode = '', fontId = '' } = attributes;
      if (name === 'cellXfs' || name === 'fonts') within = name;
      if (name === 'font' && within === 'fonts') fonts += 1;
      if (isStrike(name, attributes) && within === 'fonts') struckFonts.add(fonts - 1);
      if (name === 'numFmt') codes.set(Number(numFmtId), ownText(formatCode.slice(0, LIMITS.formatLength)));
      const id = Number(numFmtId);
      if (name === 'xf' && within === 'cellXfs') {
        const isStruck = struckFonts.has(Number(fontId));
        styles.push({ ...styleOf(id, codes.get(id), vocabulary), isStruck });
      }
      atMost(Math.max(codes.size, styles.length), LIMITS.styles, 'cell formats');
    },
    close(name: string) {
      if (name === within) within = '';
    },
  };
  await readXml(stream, handler, signal);
  return styles;
}

/**
 * Reads the texts that cells refer to by number (ECMA-376, part 1, 18.4), and keeps them while the workbook is open.
 *
 * @throws Error with a readable message if a text, or all together, are too large.
 */
async function readSharedTexts(
  stream: Readable,
  signal: AbortSignal | undefined,
): Promise<Pick<Workbook, 'shared' | 'struck'>> {
  const texts: string[] = [];
  const struck = new Set<number>();
  let bytes = 0;
  const tooLong = () =>
    new Error(`text ${texts.length + 1} of its shared texts is longer than any cell's in Excel; ${REMEDY}`);
  const parts = makeTextParts(['t'], tooLong);
  const handler = {
    open(name: string, attributes: Record<string, string>) {
      if (name === 'si') parts.clear();
      if (isStrike(name, attributes)) struck.add(texts.length);
      parts.open(name);
    },
    text: parts.add,
    close(name: string) {
      parts.close(name);
      if (name !== 'si') return;
      const text = parts.text();
      bytes += OVERHEAD_BYTES + (BEYOND_LATIN_1.test(text) ? 2 : 1) * text.length;
      if (bytes > LIMITS.sharedBytes) {
        throw new Error(`only its first ${texts.length} texts fit into memory; save the sheet as CSV UTF-8`);
      }
      texts.push(ownText(unescaped(text)));
    },
  };
  await readXml(stream, handler, signal);
  return { shared: texts, struck };
}

/** Bytes of memory that V8 takes for a text besides its characters, and for its entry in the growing list. */
const OVERHEAD_BYTES = 56;

/** A text with such a character takes two bytes for each character in memory; any other takes one. */
const BEYOND_LATIN_1 = /[^\0-\xff]/;
