/** A lone surrogate that marks a byte which is no character in its encoding. */
export function markByte(byte: number): string {
  return String.fromCharCode(0xdc00 + byte);
}

/**
 * Describes what could not be decoded in a text. For UTF-8 it adds the byte's meaning in Windows-1252, which
 * spreadsheets use by default. null for a sound text.
 */
export function describeDamage(text: string, encoding: string): string | null {
  if (text.isWellFormed()) return null;
  const code = (/\p{Surrogate}/u.exec(text)?.[0] ?? '').charCodeAt(0);
  const name = encoding.toUpperCase();
  if (encoding.startsWith('utf-16')) return `The cell has half a character in ${name}: type the cell again.`;
  const byte = (code & 0xff).toString(16).toUpperCase();
  if (encoding !== 'utf-8')
    return `The byte ${byte} in this cell is no character in ${name}: type the cell again, or name the right encoding with --encoding.`;
  const likely = new TextDecoder('windows-1252').decode(Uint8Array.of(code & 0xff));
  return `The byte ${byte} in this cell is not UTF-8 (it may be meant as ${likely}): save the file as CSV UTF-8.`;
}
