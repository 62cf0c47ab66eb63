import { charactersOf } from './decoders.ts';

/** Encodes text. A character that the encoding lacks becomes a question mark. */
type Encoder = (text: string) => Buffer;

/** Builds an encoder for any encoding of `makeDecoder`. Missing tables are made by decoding every byte sequence. */
export function makeEncoder(encoding: string): Encoder {
  if (encoding === 'utf-8') return (text) => Buffer.from(text);
  if (encoding === 'utf-16le') return (text) => Buffer.from(text, 'utf16le');
  if (encoding === 'utf-16be') return (text) => Buffer.from(text, 'utf16le').swap16();
  let table: Map<string, Buffer> | undefined;
  return (text) => {
    if (ASCII.test(text)) return Buffer.from(text, 'latin1');
    table ??= tableOf(encoding);
    const bytes: Buffer[] = [];
    for (const character of text) bytes.push(encodeOne(character, table));
    return Buffer.concat(bytes);
  };
}

export function makeEncodingTest(encoding: string): (text: string) => boolean {
  if (encoding === 'utf-8' || encoding.startsWith('utf-16')) return () => true;
  let table: Map<string, Buffer> | undefined;
  return (text) => {
    if (ASCII.test(text)) return true;
    table ??= tableOf(encoding);
    for (const character of text) if (character > '\x7f' && !table.has(character)) return false;
    return true;
  };
}

const ASCII = /^[\0-\x7f]*$/;

function encodeOne(character: string, table: Map<string, Buffer>): Buffer {
  if (character <= '\x7f') return Buffer.from(character, 'latin1');
  return table.get(character) ?? Buffer.from('?');
}

const HIGH = Array.from({ length: 0x80 }, (_none, place) => 0x80 + place);
/** Bytes that may follow the first byte of a character: digits in four-byte GB18030, others elsewhere. */
const TRAIL = Array.from({ length: 0xff - 0x30 }, (_none, place) => 0x30 + place);
const DIGITS = TRAIL.slice(0, 10);

/** The table of an encoding's characters, each with its shortest byte sequence. Building 24,000 entries takes some 30 ms, once. */
function tableOf(encoding: string): Map<string, Buffer> {
  const table = new Map<string, Buffer>();
  const singles = charactersOf(encoding);
  if (singles) {
    for (const [place, character] of singles.entries()) {
      if (character !== '\ufffd' && !table.has(character)) table.set(character, Buffer.of(place + 0x80));
    }
    return table;
  }
  const decoder = new TextDecoder(encoding, { fatal: true });
  const learn = (...bytes: number[]): boolean => {
    try {
      const character = decoder.decode(Uint8Array.from(bytes));
      const isOne = [...character].length === 1;
      if (isOne && !table.has(character)) table.set(character, Buffer.from(bytes));
      return isOne;
    } catch {
      return false;
    }
  };
  const leads = HIGH.filter((byte) => !learn(byte));
  for (const lead of leads) for (const trail of TRAIL) learn(lead, trail);
  if (encoding === 'euc-jp') for (const second of HIGH) for (const third of HIGH) learn(0x8f, second, third);
  // Of the four-byte characters only those that occur in names are in the table; the others are too rare to matter.
  if (encoding === 'gb18030') {
    for (const lead of [0x81, 0x82, 0x83, 0x84])
      for (const second of DIGITS)
        for (const third of HIGH) for (const last of DIGITS) learn(lead, second, third, last);
  }
  return table;
}
