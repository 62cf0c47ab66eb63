import { charactersOf } from '../encodings/single-bytes.ts';

/**
 * How many bytes the first so many UTF-16 units of a text take, of which `bytes` are the file's own: a damaged byte is one unit
 * (see `encodings/damage.ts`), and stays the byte that it is.
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

/** Characters as UTF-8 has them, and a byte for each sign of damage. */
function utf8Length(text: string): number {
  if (text.isWellFormed()) return Buffer.byteLength(text);
  let length = 0;
  for (const character of text) length += character.isWellFormed() ? Buffer.byteLength(character) : 1;
  return length;
}

/** Character by character, as the decoder of these encodings goes through damaged lines. */
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
      // The byte that did not fit may be a character of its own.
      if (pending > 0) at -= 1;
      pending = 0;
    }
  }
  return bytes.length;
}
