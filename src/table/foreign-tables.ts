/**
 * Recognizes tables of other programs and locked ones by a file's first bytes. The message says how to convert the
 * file; null for other files.
 */
export function foreignTableOf(start: Buffer): string | null {
  if (start.subarray(0, COMPOUND.length).equals(COMPOUND)) return COMPOUND_SENTENCES[compoundKindOf(start)];
  if (BIFF.some((mark) => mark.every((byte, place) => start[place] === byte))) return OLD_WORKBOOK;
  const written = start.subarray(0, LOOKED_AT).toString('latin1');
  if (BLANKS_FIRST.test(written) && written.replace(BLANKS_FIRST, '').startsWith(PACKAGE_START)) return LATE_PACKAGE;
  const text = written.replace(BYTE_ORDER_MARKS, '').replaceAll('\0', '').trimStart();
  return TEXTS.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** Recognizes a ZIP file that is no Excel workbook, by its parts' names; null if unknown. */
export function foreignPackageOf(names: Iterable<string>): string | null {
  const parts = [...names];
  return PACKAGES.find(([pattern]) => parts.some((name) => pattern.test(name)))?.[1] ?? null;
}

/** Recognizes a file that is no text table by its first bytes. The message says what to do; null if it may be a table. */
export function wrongKindOf(start: Buffer): string | null {
  const kind = WRONG_KINDS.find(([signature]) => signature.every((byte, place) => start[place] === byte));
  return kind ? `${kind[1]}: ${kind[2] ?? 'save it as CSV UTF-8 with commas.'}` : null;
}

/**
 * Finds the kind of a compound file: from its directory if that is within these bytes, else from stream names anywhere in them.
 *
 * @param bytes the beginning of the file; Excel writes the directory near it.
 */
function compoundKindOf(bytes: Buffer): CompoundKind {
  const names = directoryNames(bytes);
  const has = (...wanted: string[]) => wanted.some((name) => names.has(name) || bytes.includes(name, 0, 'utf16le'));
  if (has('EncryptedPackage', 'EncryptionInfo')) return 'encrypted';
  // `Book` counts only in the directory, since other programs have a stream with `Book` inside a longer name.
  if (has('Workbook') || names.has('Book')) return 'old workbook';
  return has('WordDocument', 'PowerPoint Document') ? 'old document' : 'unknown';
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

/** First bytes of workbooks of Excel 2 to 5, which are no compound files: the BOF record of each version, then its length. */
const BIFF = [
  [0x09, 0x00, 0x04, 0x00],
  [0x09, 0x02, 0x06, 0x00],
  [0x09, 0x04, 0x06, 0x00],
  [0x09, 0x08, 0x08, 0x00],
  [0x09, 0x08, 0x10, 0x00],
];

/** A ZIP file, as a workbook is, behind a byte order mark or blanks: a program on a web server wrote them before it. */
const BLANKS_FIRST = /^(?:\xef\xbb\xbf|\s)+/;
const PACKAGE_START = 'PK\x03\x04';
const LATE_PACKAGE =
  'A program wrote blanks or line breaks before the beginning of this workbook: export it again, or have the program mended.';

/** Bytes at a file's beginning in which a web page's or an XML document's first element is looked for. */
const LOOKED_AT = 2_048;
const BYTE_ORDER_MARKS = /^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/;

const OPEN_DOCUMENT = `This is an OpenDocument file, such as LibreOffice's tables (.ods): open it there and save the table as an Excel workbook (.xlsx) or as CSV UTF-8.`;

const TEXTS: [RegExp, string][] = [
  [
    /^<\?xml[^>]*>\s*(<\?mso-application progid="Excel\.Sheet"\?>|(<!--((?!-->)[\s\S])*-->\s*)*<([\w-]+:)?Workbook\b)/i,
    `This is an Excel 2003 "XML spreadsheet": open it in Excel and save it as .xlsx or as CSV UTF-8.`,
  ],
  [
    /^(<!--((?!-->)[\s\S])*-->\s*)*<(!doctype html|html|head|meta|table|style)\b/i,
    'This is a web page, which some programs call .xls: open it in Excel and save it as .xlsx or as CSV UTF-8.',
  ],
  [/^<\?xml[^>]*>\s*<office:document\b/i, OPEN_DOCUMENT],
  [/^<\?xml\b/i, 'This is XML, not a table: save the table as .xlsx or as CSV UTF-8.'],
  [/^(?:\[\s*)?\{\s*"/, 'This is JSON, not a table: save the table as .xlsx or as CSV UTF-8.'],
  [/^\{\\rtf/, 'This is an RTF document, not a table: save the table as .xlsx or as CSV UTF-8.'],
];

/** Packages of other programs, each by the name of one of its parts. The order matters: a Numbers package also has previews of other kinds. */
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
  [/^META-INF\/manifest\.xml$/i, OPEN_DOCUMENT],
];

const CHOOSE = 'choose a CSV or Excel file.';
const UNPACK = 'unpack it and give the file that is in it.';

const WRONG_KINDS: [signature: number[], name: string, remedy?: string][] = [
  // A workbook has this signature, too, but is recognized earlier.
  [[0x50, 0x4b, 0x03, 0x04], 'This is a ZIP file', UNPACK],
  [[0xd0, 0xcf, 0x11, 0xe0], 'This is an old Excel workbook'],
  [[0x25, 0x50, 0x44, 0x46], 'This is a PDF document'],
  [[0x1f, 0x8b], 'This is a gzip archive', UNPACK],
  [[0x42, 0x5a, 0x68], 'This is a bzip2 archive', UNPACK],
  [[0x28, 0xb5, 0x2f, 0xfd], 'This is a Zstandard archive', UNPACK],
  [[0x37, 0x7a, 0xbc, 0xaf], 'This is a 7-Zip archive', UNPACK],
  [[0x89, 0x50, 0x4e, 0x47], 'This is a picture', CHOOSE],
  [[0xff, 0xd8, 0xff], 'This is a picture', CHOOSE],
  [[0xff, 0xfe, 0x00, 0x00], 'This is text in UTF-32'],
  [[0x00, 0x00, 0xfe, 0xff], 'This is text in UTF-32'],
  [[0x7f, 0x45, 0x4c, 0x46], 'This is a program', CHOOSE],
  [[0x53, 0x51, 0x4c, 0x69, 0x74, 0x65], 'This is a SQLite database'],
];

/**
 * The kind of an OLE compound file ([MS-CFB]), from the stream names in its directory. Excel stores old workbooks in
 * such files, and new ones that are encrypted ([MS-OFFCRYPTO], 1.3.1: the stream `EncryptedPackage`).
 */
type CompoundKind = 'encrypted' | 'old workbook' | 'old document' | 'unknown';

/** The first bytes of a compound file. */
const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);

/** A directory entry has 128 bytes: 64 for its name in UTF-16, then the number of bytes used. */
const ENTRY_BYTES = 128;
const NAME_BYTES = 64;

/** Offsets in the header of a compound file: the sector size, as a power of two, and the directory's first sector. */
const SECTOR_SHIFT_AT = 30;
const DIRECTORY_AT = 48;

/** Offset in the header of a compound file of the list of sectors with the allocation table. */
const FAT_LIST_AT = 76;
const FAT_LIST_LENGTH = 109;

/** Most sectors of a compound file's directory that are read. A workbook has some ten streams, and four entries fit into a sector. */
const MAX_SECTORS = 64;

function directoryNames(bytes: Buffer): Set<string> {
  const names = new Set<string>();
  if (bytes.length < FAT_LIST_AT + FAT_LIST_LENGTH * 4) return names;
  const sectorBytes = 1 << Math.min(bytes.readUInt16LE(SECTOR_SHIFT_AT), 16);
  const start = (sector: number) => (sector + 1) * sectorBytes;
  let sector = bytes.readUInt32LE(DIRECTORY_AT);
  for (let seen = 0; seen < MAX_SECTORS && start(sector) + sectorBytes <= bytes.length; seen += 1) {
    for (let at = start(sector); at < start(sector) + sectorBytes; at += ENTRY_BYTES) {
      const used = Math.min(bytes.readUInt16LE(at + NAME_BYTES), NAME_BYTES);
      names.add(bytes.toString('utf16le', at, at + Math.max(0, used - 2)));
    }
    sector = nextSector(bytes, sector, { sectorBytes, start });
  }
  return names;
}

/** The next sector by the allocation table; a number beyond every file if that cannot be read. */
function nextSector(
  bytes: Buffer,
  sector: number,
  { sectorBytes, start }: { sectorBytes: number; start: (sector: number) => number },
): number {
  const perSector = sectorBytes / 4;
  const listed = Math.floor(sector / perSector);
  if (listed >= FAT_LIST_LENGTH) return NONE;
  const at = start(bytes.readUInt32LE(FAT_LIST_AT + listed * 4)) + (sector % perSector) * 4;
  return at + 4 <= bytes.length ? bytes.readUInt32LE(at) : NONE;
}

const NONE = 0xffff_ffff;
