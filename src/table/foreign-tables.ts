import { COMPOUND, compoundKindOf } from './compound-file.ts';

/**
 * What somebody gave who meant a table, by the file's first bytes: a table of another program, or one that is locked; null
 * where it is none of them. Each sentence says how to make it one that is read.
 */
export function foreignTableOf(start: Buffer): string | null {
  if (start.subarray(0, COMPOUND.length).equals(COMPOUND)) return COMPOUND_WORDS[compoundKindOf(start)];
  if (BIFF.some((mark) => mark.every((byte, place) => start[place] === byte))) return OLD_WORKBOOK;
  const text = start
    .subarray(0, LOOKED_AT)
    .toString('latin1')
    .replace(BYTE_ORDER_MARKS, '')
    .replaceAll('\0', '')
    .trimStart();
  return TEXTS.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** What a ZIP file that is no workbook of ours is, by the names of its parts; null where they do not tell. */
export function foreignPackageOf(names: Iterable<string>): string | null {
  const parts = [...names];
  for (const [pattern, words] of PACKAGES) if (parts.some((name) => pattern.test(name))) return words;
  return null;
}

/** Why a ZIP file cannot be opened whose end is missing, where the error is that one; null for others. */
export function cutOffWords(error: unknown): string | null {
  return error instanceof Error && CUT_OFF.test(error.message) ? CUT_OFF_WORDS : null;
}

const SAVE = 'open it there and save the table as an Excel workbook (.xlsx) or as CSV UTF-8.';

const OLD_WORKBOOK =
  'This is an Excel workbook of the old kind (.xls): open it in Excel and save it as .xlsx or as CSV UTF-8.';

const COMPOUND_WORDS: Record<ReturnType<typeof compoundKindOf>, string> = {
  encrypted:
    'This workbook is protected by a password: open it in Excel, take the password away (File, Info, Protect Workbook) and save it, or save it as CSV UTF-8.',
  'old workbook': OLD_WORKBOOK,
  'old document':
    'This is a document of Word or PowerPoint, and no table: give the file of the buyers as .xlsx or CSV UTF-8.',
  unknown:
    'This is an old Excel workbook, or another Office file of that time: save its table as .xlsx or as CSV UTF-8.',
};

/** Excel 2 to 5 before compound files: the record BOF of each version, then its length. */
const BIFF = [
  [0x09, 0x00, 0x04, 0x00],
  [0x09, 0x02, 0x06, 0x00],
  [0x09, 0x04, 0x06, 0x00],
  [0x09, 0x08, 0x08, 0x00],
  [0x09, 0x08, 0x10, 0x00],
];

/** Enough for what stands before a page's first element. */
const LOOKED_AT = 2_048;
const BYTE_ORDER_MARKS = /^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/;

const TEXTS: [RegExp, string][] = [
  [
    /^<\?xml[^>]*>\s*(<\?mso-application progid="Excel\.Sheet"\?>|(<!--[\s\S]*?-->\s*)*<([\w-]+:)?Workbook\b)/i,
    `This is an "XML spreadsheet" of Excel 2003: open it in Excel and save it as .xlsx or as CSV UTF-8.`,
  ],
  [
    /^(<!--[\s\S]*?-->\s*)*<(!doctype html|html|head|meta|table|style)\b/i,
    'This is a web page, as some programs name .xls: open it in Excel and save it as .xlsx or as CSV UTF-8.',
  ],
  [/^<\?xml\b/i, 'This is XML, and no table: save the table as .xlsx or as CSV UTF-8.'],
  [/^\{\\rtf/, 'This is a document in RTF, and no table: save the table as .xlsx or as CSV UTF-8.'],
];

/** In this order: a package of Numbers holds previews of other kinds. */
const PACKAGES: [RegExp, string][] = [
  [
    /^(Index\/.*\.iwa|Index\.zip|index\.apxl)$/i,
    `This is a table of Apple Numbers (.numbers): export it there (File, Export To) as Excel or as CSV in UTF-8.`,
  ],
  [
    /^xl\/workbook\.bin$/i,
    'This is a binary Excel workbook (.xlsb): open it in Excel and save it as .xlsx or as CSV UTF-8.',
  ],
  [
    /^word\/document\.xml$/i,
    'This is a Word document, and no table: give the file of the buyers as .xlsx or CSV UTF-8.',
  ],
  [
    /^ppt\/presentation\.xml$/i,
    'This is a PowerPoint document, and no table: give the file of the buyers as .xlsx or CSV UTF-8.',
  ],
  [/^META-INF\/manifest\.xml$/i, `This is an OpenDocument file, such as LibreOffice's tables (.ods): ${SAVE}`],
];

/** yauzl's words where the list at a ZIP file's end is missing, or does not fit what stands before it. */
const CUT_OFF =
  /end of central directory|central directory.*(signature|expected|beyond|not found)|file is truncated|unexpected EOF|unexpected end/i;

const CUT_OFF_WORDS =
  'its end is missing, as after a copy or a download that broke off; get the file again, or open it in Excel and save it anew';
