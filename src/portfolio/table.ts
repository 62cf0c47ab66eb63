import { openBytes } from './bytes.ts';
import { makeRecordReader, type RawRecord, type Shape } from './records.ts';
import { makeUtf8Decoder } from './text.ts';

/** An open CSV file, read up to its header. */
export type Table = {
  /** The first record; null in a file without any. */
  header: RawRecord | null;
  /** Why the file cannot be CSV in UTF-8, seen at its first bytes; null otherwise. */
  wrongKind: string | null;
  /** The next record in what was read so far; null when more has to be read first, see `more`. */
  next(shape?: Shape): RawRecord | null;
  /** Reads on; false when there is nothing left at all. @throws LimitlineError `FILE`, `STOPPED` */
  more(): Promise<boolean>;
  close(): Promise<void>;
};

/** Opens a CSV file: bytes → text → records. @throws LimitlineError `FILE`, `STOPPED` */
export async function openTable(source: { path: string; signal?: AbortSignal | undefined }): Promise<Table> {
  const bytes = await openBytes(source);
  const decoder = makeUtf8Decoder();
  const records = makeRecordReader();
  let wrongKind: string | null = null;
  let chunks = 0;
  let ended = false;

  async function more(): Promise<boolean> {
    if (ended) return false;
    const chunk = await bytes.read();
    if (chunk && chunks === 0) wrongKind = wrongKindOf(chunk);
    chunks += 1;
    records.feed(chunk ? decoder.decode(chunk) : decoder.end());
    if (chunk) return true;
    ended = true;
    records.end();
    // The last record may have waited for this end.
    return true;
  }

  try {
    let header: RawRecord | null = null;
    while (!header && !wrongKind && (await more())) header = records.next();
    return { header, wrongKind, next: records.next, more, close: bytes.close };
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

/** What people send instead of a CSV file, by its first bytes. */
const WRONG_KINDS: [number[], string][] = [
  [[0x50, 0x4b, 0x03, 0x04], 'This is an Excel workbook (or a ZIP file)'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'This is an old Excel workbook'],
  [[0x25, 0x50, 0x44, 0x46], 'This is a PDF document'],
  [[0xff, 0xfe], 'This is text in UTF-16'],
  [[0xfe, 0xff], 'This is text in UTF-16'],
];

function wrongKindOf(chunk: Buffer): string | null {
  const kind = WRONG_KINDS.find(([start]) => start.every((byte, index) => chunk[index] === byte))?.[1];
  return kind ? `${kind}: save it as CSV UTF-8 with commas.` : null;
}
