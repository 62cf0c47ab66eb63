import { COMPOUND, compoundKindOf } from './compound-file.ts';

/**
 * Recognizes tables of other programs and locked ones by a file's first bytes. The message says how to convert the
 * file; null for other files.
 */
export function foreignTableOf(start: Buffer): string | null {
  if (start.subarray(0, COMPOUND.length).equals(COMPOUND)) return COMPOUND_SENTENCES[compoundKindOf(start)];
  if (BIFF.some((mark) => mark.every((byte, place) => start[place] === byte))) return OLD_WORKBOOK;
  const text = start
    .subarray(0, LOOKED_AT)
    .toString('latin1')
    .replace(BYTE_ORDER_MARKS, '')
    .replaceAll('\0', '')
    .trimStart();
  return TEXTS.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** Recognizes a ZIP file that is no Excel workbook, by its parts' names; null if unknown. */
export function foreignPackageOf(names: Iterable<string>): string | null {
  const parts = [...names];
  return PACKAGES.find(([pattern]) => parts.some((name) => pattern.test(name)))?.[1] ?? null;
}

const OLD_WORKBOOK = 'This is an old Excel workbook (.xls): open it in Excel and save it as .xlsx or as CSV UTF-8.';

const COMPOUND_SENTENCES: Record<ReturnType<typeof compoundKindOf>, string> = {
  encrypted:
    'This workbook is protected by a password: open it in Excel, remove the password (File, Info, Protect Workbook) and save it, or save it as CSV UTF-8.',
  'old workbook': OLD_WORKBOOK,
  'old document':
    'This is a Word or PowerPoint document, not a table: give the file of the buyers as .xlsx or CSV UTF-8.',
  unknown: 'This is an old Excel workbook or another old Office file: save its table as .xlsx or as CSV UTF-8.',
};

/** Excel 2 to 5, before compound files: the BOF record of each version, then its length. */
const BIFF = [
  [0x09, 0x00, 0x04, 0x00],
  [0x09, 0x02, 0x06, 0x00],
  [0x09, 0x04, 0x06, 0x00],
  [0x09, 0x08, 0x08, 0x00],
  [0x09, 0x08, 0x10, 0x00],
];

/** Enough for everything before a page's first element. */
const LOOKED_AT = 2_048;
const BYTE_ORDER_MARKS = /^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/;

const TEXTS: [RegExp, string][] = [
  [
    /^<\?xml[^>]*>\s*(<\?mso-application progid="Excel\.Sheet"\?>|(<!--[\s\S]*?-->\s*)*<([\w-]+:)?Workbook\b)/i,
    `This is an Excel 2003 "XML spreadsheet": open it in Excel and save it as .xlsx or as CSV UTF-8.`,
  ],
  [
    /^(<!--[\s\S]*?-->\s*)*<(!doctype html|html|head|meta|table|style)\b/i,
    'This is a web page, which some programs call .xls: open it in Excel and save it as .xlsx or as CSV UTF-8.',
  ],
  [/^<\?xml\b/i, 'This is XML, not a table: save the table as .xlsx or as CSV UTF-8.'],
  [/^\{\\rtf/, 'This is an RTF document, not a table: save the table as .xlsx or as CSV UTF-8.'],
];

/** The order matters: a Numbers package also has previews of other kinds. */
const PACKAGES: [RegExp, string][] = [
  [
    /^(Index\/.*\.iwa|Index\.zip|index\.apxl)$/i,
    'This is an Apple Numbers table (.numbers): export it from Numbers (File, Export To) as Excel or as CSV in UTF-8.',
  ],
  [
    /^xl\/workbook\.bin$/i,
    'This is a binary Excel workbook (.xlsb): open it in Excel and save it as .xlsx or as CSV UTF-8.',
  ],
  [
    /^word\/document\.xml$/i,
    'This is a Word document, not a table: give the file of the buyers as .xlsx or CSV UTF-8.',
  ],
  [
    /^ppt\/presentation\.xml$/i,
    'This is a PowerPoint document, not a table: give the file of the buyers as .xlsx or CSV UTF-8.',
  ],
  [
    /^META-INF\/manifest\.xml$/i,
    `This is an OpenDocument file, such as LibreOffice's tables (.ods): open it there and save the table as an Excel workbook (.xlsx) or as CSV UTF-8.`,
  ],
];
