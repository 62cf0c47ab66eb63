import { isAscii, isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { type Entry, openPromise } from 'yauzl';

/**
 * Limits for reading an archive: how many entries, and how many bytes unpacked. An archive beyond them is a mistake, or an attempt to fill
 * the disk.
 */
export type ZipLimits = { entries: number; totalBytes: number };

export type Zip = {
  /** The archive's entries in order. @throws when there are too many */
  entries(): AsyncIterable<Entry>;
  /** An entry's content. @throws when it is too large; the stream fails beyond the size that the archive states. */
  read(entry: Entry): Promise<Readable>;
  close(): void;
};

/**
 * Most times by which an archive may unpack to more than its size. Text unpacks to some 20 times its size, a sheet with one value to 100
 * times, and a zip bomb to 1,000 times.
 */
const MAX_RATIO = 300;

/** Bytes up to which the ratio {@link MAX_RATIO} is not checked: for one entry, and for the whole archive. */
const SMALL_BYTES = 1024 * 1024;
const SMALL_ARCHIVE_BYTES = 64 * 1024 * 1024;

/** Most bytes of memory for all names and comments of an archive; 20,000 long names take a tenth of it. */
const MAX_NAMES_BYTES = 32 * 1024 * 1024;

/** Opens a ZIP file for reading, within limits. @throws yauzl's error when it is no ZIP file. */
export async function openZip(path: string, limits: ZipLimits): Promise<Zip> {
  const file = await openPromise(path, { lazyEntries: true, autoClose: false });
  // Entries may overlap: each then has a valid size, but their sum is too large.
  const mayUnpackBytes = Math.min(limits.totalBytes, Math.max(SMALL_ARCHIVE_BYTES, file.fileSize * MAX_RATIO));
  let left = mayUnpackBytes;
  return {
    async *entries() {
      if (file.entryCount > limits.entries) throw new Error(`it has more than ${limits.entries} files`);
      let namesBytes = 0;
      for await (const entry of file.eachEntry()) {
        namesBytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
        if (namesBytes > MAX_NAMES_BYTES)
          throw new Error(`the names of its files take more than ${MAX_NAMES_BYTES / 1024 / 1024} MB`);
        entry.fileName = nameOf(entry);
        yield entry;
      }
    },
    async read(entry) {
      // yauzl compares the stated size with the actual one while it unpacks, so the stated size can be trusted.
      const { fileName, uncompressedSize, compressedSize } = entry;
      if (uncompressedSize > SMALL_BYTES && uncompressedSize > compressedSize * MAX_RATIO) {
        throw new Error(`${JSON.stringify(fileName)} unpacks to more than ${MAX_RATIO} times its size`);
      }
      left -= uncompressedSize;
      if (left < 0) throw new Error(`it unpacks to more than ${Math.floor(mayUnpackBytes / 1024 / 1024)} MB`);
      return file.openReadStreamPromise(entry);
    },
    close: () => file.close(),
  };
}

/** The flag by which an entry declares that its name is UTF-8 (APPNOTE 4.4.4, bit 11); the other way is an extra field (4.6.9). */
const UTF8_FLAG = 0x800;
const UNICODE_PATH = 0x7075;

/**
 * The entry's name. Without a declaration it is CP437 (APPNOTE, appendix D.1), but macOS and others write undeclared UTF-8. A name that is
 * valid UTF-8 hardly makes sense in CP437. yauzl's checks hold for both readings: everything that leads out of a folder is ASCII.
 */
function nameOf({ fileName, fileNameRaw, generalPurposeBitFlag, extraFields }: Entry): string {
  const isTold = (generalPurposeBitFlag & UTF8_FLAG) !== 0 || extraFields.some(({ id }) => id === UNICODE_PATH);
  if (isTold || isAscii(fileNameRaw) || !isUtf8(fileNameRaw)) return fileName;
  return fileNameRaw.toString().replaceAll('\\', '/');
}
