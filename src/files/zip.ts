import { isAscii, isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { type Entry, openPromise } from 'yauzl';

/** What an archive may unpack to; more is a mistake, or made to fill a disk. */
export type ZipLimits = { entries: number; totalBytes: number };

export type Zip = {
  /** The entries in their order. Throws when there are more than may be. */
  entries(): AsyncIterable<Entry>;
  /** The unpacked bytes of one. @throws when they are more than they may be; the stream, when more than the archive says. */
  read(entry: Entry): Promise<Readable>;
  close(): void;
};

/** Unpacked text is some 20 times what it was, and a sheet of one value 100 times; bombs are made of 1,000 times. */
const MAX_RATIO = 300;

/** Below this no ratio matters: of one entry, and of the whole archive. */
const SMALL_BYTES = 1024 * 1024;
const SMALL_ARCHIVE_BYTES = 64 * 1024 * 1024;

/** What all names and notes of an archive may take of our memory; 20,000 long names are a tenth of it. */
const MAX_NAMES_BYTES = 32 * 1024 * 1024;

/** Opens a ZIP file for reading, within limits. @throws the error of yauzl when it is none. */
export async function openZip(path: string, limits: ZipLimits): Promise<Zip> {
  const file = await openPromise(path, { lazyEntries: true, autoClose: false });
  // Entries may lie one upon the other, so that each is of a sound size and all together are not.
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
      // What the archive says of a size is checked by yauzl against what comes, so it can be gone by.
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

/** Of a name that says nothing of its encoding: whether it is UTF-8 (APPNOTE 4.4.4, bit 11) or has a field of its own (4.6.9). */
const UTF8_FLAG = 0x800;
const UNICODE_PATH = 0x7075;

/**
 * The entry's name. Without a word on its encoding it is CP437 (APPNOTE, appendix D.1); but macOS and many programs write
 * UTF-8 and do not say so, and what is UTF-8 by chance makes no sense in CP437. What yauzl has checked of the one is right
 * for the other, since all that leads out of a folder is ASCII.
 */
function nameOf({ fileName, fileNameRaw, generalPurposeBitFlag, extraFields }: Entry): string {
  const isTold = (generalPurposeBitFlag & UTF8_FLAG) !== 0 || extraFields.some(({ id }) => id === UNICODE_PATH);
  if (isTold || isAscii(fileNameRaw) || !isUtf8(fileNameRaw)) return fileName;
  return fileNameRaw.toString().replaceAll('\\', '/');
}
