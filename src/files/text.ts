import { open } from 'node:fs/promises';

/** The bytes of a chunk of UTF-8 without an incomplete character at its end. */
export function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const needed = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return needed > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/**
 * A copy of a text that may be kept without keeping more in memory. V8 keeps a substring, such as a cell, together with the whole text that
 * it was cut from. Invalid Unicode becomes U+FFFD.
 */
export function ownText(text: string): string {
  return Buffer.from(text).toString();
}

/** Reads the bytes of a file from one place to another, or to its end; fewer if the file ends before. @throws the system's error */
export async function readBytes(path: string, from: number, to?: number): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const length = (to ?? (await handle.stat()).size) - from;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
