import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDocumentBody } from '../../src/service/document-body.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'limitline-body-'));
});
afterAll(() => rm(dir, { recursive: true }));

async function bodyOf(content: Buffer, name = 'balance.pdf') {
  const path = join(dir, 'document');
  await writeFile(path, content);
  const body = makeDocumentBody({ path, name, mediaType: 'application/pdf', sizeBytes: content.length });
  return { body, bytes: await buffer(body.open()) };
}

// Around the sizes at which base64 is padded, and at which a read ends.
test.each([1, 2, 3, 4, 196_607, 196_608, 196_609, 196_610, 400_001])(
  'carries %i bytes, with the length announced',
  async (size) => {
    const content = randomBytes(size);
    const { body, bytes } = await bodyOf(content);
    expect(bytes.length).toBe(body.contentLengthBytes);
    const { purpose, file } = JSON.parse(bytes.toString());
    expect(purpose).toBe('financial_statement');
    const [head, base64] = file.split(';base64,');
    expect(head).toBe('data:application/pdf;name=balance.pdf');
    expect(Buffer.from(base64, 'base64').equals(content)).toBe(true);
  },
);

test('can be opened again, for a call that is sent again', async () => {
  const { body, bytes } = await bodyOf(Buffer.from('once more'));
  expect((await buffer(body.open())).equals(bytes)).toBe(true);
});

test('no file name breaks out of the data URI or of the JSON', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), async (name) => {
      const { body, bytes } = await bodyOf(Buffer.from('x'), name);
      expect(bytes.length).toBe(body.contentLengthBytes);
      const [, written, rest] =
        /^data:application\/pdf;name=([^;,]*);base64,(.*)$/s.exec(JSON.parse(bytes.toString()).file) ?? [];
      expect(decodeURIComponent(written ?? '')).toBe(name.toWellFormed());
      expect(rest).toBe(Buffer.from('x').toString('base64'));
    }),
    { numRuns: 200 },
  );
});
