/**
 * The kind of an OLE compound file ([MS-CFB]), from the stream names in its directory. Excel stores old workbooks in
 * such files, and new ones that are encrypted ([MS-OFFCRYPTO], 1.3.1: the stream `EncryptedPackage`).
 */
type CompoundKind = 'encrypted' | 'old workbook' | 'old document' | 'unknown';

/** The first bytes of a compound file. */
export const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);

/**
 * Finds the kind from the directory if it is within these bytes, else from stream names anywhere in them.
 *
 * @param bytes the beginning of the file; Excel writes the directory near it.
 */
export function compoundKindOf(bytes: Buffer): CompoundKind {
  const names = directoryNames(bytes);
  const has = (...wanted: string[]) => wanted.some((name) => names.has(name) || bytes.includes(name, 0, 'utf16le'));
  if (has('EncryptedPackage', 'EncryptionInfo')) return 'encrypted';
  // Only in the directory: other programs have a stream with `Book` inside a longer name.
  if (has('Workbook') || names.has('Book')) return 'old workbook';
  return has('WordDocument', 'PowerPoint Document') ? 'old document' : 'unknown';
}

/** A directory entry has 128 bytes: 64 for its name in UTF-16, then the number of bytes used. */
const ENTRY_BYTES = 128;
const NAME_BYTES = 64;

/** Offsets in the header: the sector size, as a power of two, and the directory's first sector. */
const SECTOR_SHIFT_AT = 30;
const DIRECTORY_AT = 48;

/** Offset in the header of the list of sectors with the allocation table. */
const FAT_LIST_AT = 76;
const FAT_LIST_LENGTH = 109;

/** A workbook has some ten streams, and four entries fit into a sector. */
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
