import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { base64Length, encodeBase64, makeDocumentBody } from '../../src/service/document-body.ts';
import { anyCodePoint } from '../support/any-text.ts';
import { callOptions, makeClient } from '../support/client.ts';
import { portOf } from '../support/tls-service.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'limitline-body-'));
});
afterAll(() => rm(dir, { recursive: true }));

async function bodyOf(content: Buffer, name = 'balance.pdf') {
  const path = join(dir, 'document');
  await writeFile(path, content);
  const body = makeDocumentBody({ path, name, mediaType: 'application/pdf', sizeBytes: content.length });
  return { body, bytes: await collect(body.open()) };
}

/** Copies each piece at once, because the body reuses its buffers. */
async function collect(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

// Sizes around the padding of base64 and the end of a read.
test.each([1, 2, 3, 4, 147_455, 147_456, 147_457, 147_458, 600_001])(
  'encodes %i bytes with the announced length',
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

test('can be opened again when a call is repeated', async () => {
  const { body, bytes } = await bodyOf(Buffer.from('once more'));
  expect((await collect(body.open())).equals(bytes)).toBe(true);
});

test('arrives complete at a service that reads slowly', async () => {
  const content = randomBytes(6_000_000);
  const path = join(dir, 'slow');
  await writeFile(path, content);
  const arrived = createHash('sha256');
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/token')) return void response.end('{"access_token":"t"}');
    request.on('data', (chunk: Buffer) => {
      arrived.update(chunk);
      request.pause();
      setImmediate(() => setImmediate(() => request.resume()));
    });
    request.on('end', () => response.end('{"id":"doc_1"}'));
  });
  const client = makeClient(`http://127.0.0.1:${await portOf(server)}`, { timeoutMs: 30_000 });
  const document = { path, sizeBytes: content.length, name: 'a.pdf', mediaType: 'application/pdf' };
  expect(await client.uploadDocument(document, callOptions())).toMatchObject({ is: 'made' });
  const whole = JSON.stringify({
    purpose: 'financial_statement',
    file: `data:application/pdf;name=a.pdf;base64,${content.toString('base64')}`,
  });
  expect(arrived.digest('hex')).toBe(createHash('sha256').update(whole).digest('hex'));
});

test('escapes file names in the data URI and in the JSON', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: anyCodePoint, minLength: 1, maxLength: 40 }), async (name) => {
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

test('encodes any bytes as Node does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const to = Buffer.alloc(base64Length(bytes.length) + 8, '!');
      const encoded = encodeBase64(bytes, bytes.length, to);
      expect(encoded.toString('latin1')).toBe(Buffer.from(bytes).toString('base64'));
      expect(to.subarray(encoded.length).toString()).toBe('!'.repeat(to.length - encoded.length));
    }),
  );
});
