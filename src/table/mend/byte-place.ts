import { charactersOf } from '../encodings/single-bytes.ts';

/**
 * The number of bytes for the first `units` UTF-16 units of a text. `bytes` are the same text in the file. A damaged
 * byte is one unit (see `encodings/damage.ts`) and one byte.
 */
export function bytePlace(
  bytes: Buffer,
  text: string,
  { encoding, units }: { encoding: string; units: number },
): number {
  if (encoding.startsWith('utf-16')) return units * 2;
  if (encoding === 'utf-8') return utf8Length(text.slice(0, units));
  return charactersOf(encoding) ? units : walked(bytes, encoding, units);
}

/** Counts UTF-8 bytes, with one byte for each mark of damage. */
function utf8Length(text: string): number {
  if (text.isWellFormed()) return Buffer.byteLength(text);
  let length = 0;
  for (const character of text) length += character.isWellFormed() ? Buffer.byteLength(character) : 1;
  return length;
}

/** Decodes character by character, exactly as the decoder does for damaged lines. */
function walked(bytes: Buffer, encoding: string, units: number): number {
  const fresh = () => new TextDecoder(encoding, { fatal: true });
  let decoder = fresh();
  let [found, pending] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    if (found >= units && pending === 0) return at;
    try {
      const text = decoder.decode(bytes.subarray(at, at + 1), { stream: true });
      found += text.length;
      pending = text === '' ? pending + 1 : 0;
    } catch {
      decoder = fresh();
      found += Math.max(pending, 1);
      // The byte that did not fit may be a character itself.
      if (pending > 0) at -= 1;
      pending = 0;
    }
  }
  return bytes.length;
}
