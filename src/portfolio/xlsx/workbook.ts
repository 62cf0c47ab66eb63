import type { Readable } from 'node:stream';
import type { Entry } from 'yauzl';
import { openZip } from '../zip.ts';
import { isDateFormat } from './numbers.ts';
import { readXml } from './parse-xml.ts';

/** What of a workbook is needed to read the cells of one sheet. */
export type Workbook = {
  /** Sheets that can be seen or not, in their order. */
  sheets: { name: string; path: string }[];
  /** Texts that cells name by number. */
  shared: string[];
  /** Whether numbers of a cell style are days. */
  dateStyles: boolean[];
  from1904: boolean;
  open(path: string): Promise<Readable>;
  close(): void;
};

/** A workbook has some twenty parts; sheets of a million lines unpack to about a gigabyte. */
const LIMITS = { entries: 10_000, totalBytes: 4 * 1024 ** 3 };

/** What the texts of a workbook may take of our memory, in characters: some half a million buyers' names and streets. */
const MAX_SHARED_LENGTH = 48 * 1024 * 1024;

/** Opens an Excel workbook (ECMA-376, part 1). Null when the file is a ZIP file of another kind. */
export async function openWorkbook(path: string): Promise<Workbook | null> {
  const zip = await openZip(path, LIMITS);
  const parts = new Map<string, Entry>();
  const open = async (name: string): Promise<Readable> => {
    const entry = parts.get(name);
    if (!entry) throw new Error(`it lacks its part ${name}`);
    return zip.read(entry);
  };
  try {
    for await (const entry of zip.entries()) parts.set(entry.fileName, entry);
    if (!parts.has(BOOK)) {
      zip.close();
      return null;
    }
    const shared = parts.has(TEXTS) ? await readShared(await open(TEXTS)) : [];
    const dateStyles = parts.has(STYLES) ? await readDateStyles(await open(STYLES)) : [];
    const targets = await readTargets(await open(RELATIONS));
    return { ...(await readBook(await open(BOOK), targets)), shared, dateStyles, open, close: () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

const BOOK = 'xl/workbook.xml';
const RELATIONS = 'xl/_rels/workbook.xml.rels';
const TEXTS = 'xl/sharedStrings.xml';
const STYLES = 'xl/styles.xml';

async function readTargets(stream: Readable): Promise<Map<string, string>> {
  const targets = new Map<string, string>();
  await readXml(stream, {
    open(_name, { Id = '', Target = '' }) {
      targets.set(Id, Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`);
    },
  });
  return targets;
}

async function readBook(
  stream: Readable,
  targets: Map<string, string>,
): Promise<Pick<Workbook, 'sheets' | 'from1904'>> {
  const sheets: Workbook['sheets'] = [];
  let from1904 = false;
  await readXml(stream, {
    open(name, attributes) {
      if (name === 'workbookPr') from1904 = ['1', 'true'].includes(attributes.date1904 ?? '');
      const path = targets.get(attributes['r:id'] ?? '');
      if (name === 'sheet' && path) sheets.push({ name: attributes.name ?? '', path });
    },
  });
  return { sheets, from1904 };
}

async function readShared(stream: Readable): Promise<string[]> {
  const shared: string[] = [];
  let text = '';
  let length = 0;
  let hears = false;
  // How a Japanese text is pronounced stands beside it, and is no part of it.
  let isPhonetic = false;
  await readXml(stream, {
    open(name) {
      if (name === 'si') text = '';
      if (name === 'rPh') isPhonetic = true;
      hears = name === 't' && !isPhonetic;
    },
    text(part) {
      if (hears) text += part;
    },
    close(name) {
      if (name === 't') hears = false;
      if (name === 'rPh') isPhonetic = false;
      if (name !== 'si') return;
      shared.push(text);
      length += text.length;
      if (length > MAX_SHARED_LENGTH) throw new Error('its texts are more than fit into memory: save it as CSV UTF-8');
    },
  });
  return shared;
}

async function readDateStyles(stream: Readable): Promise<boolean[]> {
  const codes = new Map<number, string>();
  const styles: boolean[] = [];
  let inCells = false;
  await readXml(stream, {
    open(name, { numFmtId = '0', formatCode = '' }) {
      if (name === 'cellXfs') inCells = true;
      if (name === 'numFmt') codes.set(Number(numFmtId), formatCode);
      if (name === 'xf' && inCells) styles.push(isDateFormat(Number(numFmtId), codes.get(Number(numFmtId))));
    },
    close(name) {
      if (name === 'cellXfs') inCells = false;
    },
  });
  return styles;
}
