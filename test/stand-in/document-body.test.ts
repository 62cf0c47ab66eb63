import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeBase64Digest, readDocumentBody } from '../../src/stand-in/document-body.ts';

async function* inPieces(text: string, sizes: number[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  let at = 0;
  for (const size of sizes) {
    yield bytes.subarray(at, at + size);
    at += size;
  }
  yield bytes.subarray(at);
}

const read = (text: string) => readDocumentBody(inPieces(text, []));

test('the content of a document is extracted, wherever its chunks end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 50 }),
      fc.string(),
      fc.boolean(),
      fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 20 }),
      async (content, purpose, purposeFirst, sizes) => {
        fc.pre(!purpose.includes(';base64,'));
        const head = 'data:application/pdf;name=a%20b.pdf;base64,';
        const file = head + Buffer.from(content).toString('base64');
        const text = JSON.stringify(purposeFirst ? { purpose, file } : { file, purpose });
        expect(await readDocumentBody(inPieces(text, sizes))).toEqual({
          json: { purpose, file: head },
          content: {
            valid: true,
            sizeBytes: content.length,
            sha256: createHash('sha256').update(content).digest('hex'),
          },
        });
      },
    ),
  );
});

test.each([
  ['nothing', ''],
  ['no JSON', '{"file":"data:;base64,QQ=="'],
  ['a string without an end', '{"file":"data:;base64,QQ=='],
  ['too much before the content', JSON.stringify({ more: 'x'.repeat(70_000), file: ';base64,QQ==' })],
  ['too much after the content', JSON.stringify({ file: ';base64,QQ==', more: 'x'.repeat(70_000) })],
])('reads nothing from a body with %s', async (_name, text) => {
  expect(await read(text)).toBeUndefined();
});

test.each([
  ['an escape', '{"file":"data:;base64,QQ\\u003d="}'],
  ['a line break', '{"file":"data:;base64,QQ\\n=="}'],
  ['a character of another alphabet', '{"file":"data:;base64,QQ-_"}'],
])('content with %s counts as invalid', async (_name, text) => {
  expect(await read(text)).toMatchObject({ content: { valid: false } });
});

test('a second data URI does not count as content', async () => {
  const received = await read('{"file":"data:a/b;name=c;base64,QQ==","more":"data:a/b;name=d;base64,QUJD"}');
  expect(received).toMatchObject({ json: { more: 'data:a/b;name=d;base64,QUJD' }, content: { sizeBytes: 1 } });
});

const digestOf = (...pieces: string[]) => {
  const digest = makeBase64Digest();
  for (const piece of pieces) digest.add(Buffer.from(piece));
  return digest.end();
};

/** The same text in pieces, cut at these places. */
const cut = (text: string, places: number[]) => {
  const ends = [...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
};

test('one invalid character is found anywhere, for any division into pieces', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 60 }),
      fc.nat(),
      fc.constantFrom('-', '_', '=', ' ', '\n', '\\', '.', 'é'),
      fc.array(fc.nat(), { maxLength: 4 }),
      (content, place, bad, places) => {
        const base64 = Buffer.from(content).toString('base64').replaceAll('=', '');
        const at = place % base64.length;
        // The character replaces another, with one more behind it, so that not even '=' is valid there.
        const spoiled = `${base64.slice(0, at)}${bad}${base64.slice(at + 1)}A`;
        expect(digestOf(...cut(spoiled, places))).toEqual({ valid: false });
      },
    ),
  );
});

test.each(['Q', 'QQ', 'QUI', 'QQ=', 'Q===', '====', 'QQ==QQ==', 'QUJD\n', 'QUJDQ'])(
  '%j is not valid base64',
  (text) => {
    expect(digestOf(text)).toEqual({ valid: false });
  },
);
