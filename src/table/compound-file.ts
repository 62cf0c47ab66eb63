/**
 * What an OLE compound file is ([MS-CFB]), by the names of the streams in its directory: Excel keeps old workbooks in such
 * files, and encrypted new ones ([MS-OFFCRYPTO], 1.3.1: the stream `EncryptedPackage`).
 */
type CompoundKind = 'encrypted' | 'old workbook' | 'old document' | 'unknown';

/** What a compound file begins with. */
export const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);

/**
 * Tells the kind by the directory, as far as it is within these bytes; else by the names wherever they are in them.
 *
 * @param bytes the beginning of the file; Excel writes the directory near it.
 */
export function compoundKindOf(bytes: Buffer): CompoundKind {
  const names = directoryNames(bytes);
  const has = (...wanted: string[]) => wanted.some((name) => names.has(name) || bytes.includes(name, 0, 'utf16le'));
  if (has('EncryptedPackage', 'EncryptionInfo')) return 'encrypted';
  // Other programs have a stream of the name `Book` in the middle of a longer one.
  if (has('Workbook') || names.has('Book')) return 'old workbook';
  return has('WordDocument', 'PowerPoint Document') ? 'old document' : 'unknown';
}

/** An entry of the directory: its name in UTF-16, 64 bytes, and how many of them are used. */
const ENTRY_BYTES = 128;
const NAME_BYTES = 64;

/** Where the header says how large a sector is, as a power of two, and in which the directory begins. */
const SECTOR_SHIFT_AT = 30;
const DIRECTORY_AT = 48;

/** Where the header has its own list of the sectors that say which sector follows which. */
const FAT_LIST_AT = 76;
const FAT_LIST_LENGTH = 109;

/** A workbook has some ten streams, four of which fit a sector. */
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

/** The sector that follows, by the file's allocation table; one behind every file where that cannot be read. */
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
