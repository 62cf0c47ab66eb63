/**
 * Recognizes a file that is no text table by its first bytes. The message says what to do; null if it may be a table.
 */
export function wrongKindOf(start: Buffer): string | null {
  const kind = WRONG_KINDS.find(([signature]) => signature.every((byte, place) => start[place] === byte));
  return kind ? `${kind[1]}: ${kind[2] ?? 'save it as CSV UTF-8 with commas.'}` : null;
}

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
  [[0x89, 0x50, 0x4e, 0x47], 'This is a picture'],
  [[0xff, 0xd8, 0xff], 'This is a picture'],
  [[0xff, 0xfe, 0x00, 0x00], 'This is text in UTF-32'],
  [[0x00, 0x00, 0xfe, 0xff], 'This is text in UTF-32'],
  [[0x7f, 0x45, 0x4c, 0x46], 'This is a program'],
  [[0x53, 0x51, 0x4c, 0x69, 0x74, 0x65], 'This is a SQLite database'],
];
