import fc from 'fast-check';
import { expect, test } from 'vitest';
import { idsIn, MOST_IDS, makeIdTable } from '../../../src/ledger/events/event-ids.ts';

const idsOf = (content: string | Buffer) => idsIn(Buffer.from(content as string)).ids;

const UTF_16_BE = Buffer.from('{"id":"bl_7Kq2"}', 'utf16le').swap16();

test.each<[string, string | Buffer, string[]]>([
  [
    'JSON',
    '{"data":{"id":"bl_7Kq2","company":"company_9z"},"created":"2026-11-22T10:00:00.000Z"}',
    ['bl_7Kq2', 'company_9z'],
  ],
  ['JSON with an id without a known prefix', '{"document":"doc-81fa20","status":"approved"}', ['doc-81fa20']],
  ['text with a known and an unknown prefix, the known one first', 'evt_0123456 bl_1', ['bl_1', 'evt_0123456']],
  ['broken JSON', '{"id":"bl_7Kq2', ['bl_7Kq2']],
  ['JSON within JSON', JSON.stringify({ payload: '\n{"id":"bl_7Kq2"}\nbl_8' }), ['bl_7Kq2', 'bl_8']],
  ['JSON with escaped letters', '"\\u0062\\u006c\\u005f7Kq2"', ['bl_7Kq2']],
  ['a form', 'payload=%7B%22id%22%3A%22bl_7Kq2%22%7D', ['bl_7Kq2']],
  ['XML', '<limit id="bl_7Kq2"><company>company_9z</company></limit>', ['bl_7Kq2', 'company_9z']],
  ['UTF-16', Buffer.from('{"id":"bl_7Kq2"}', 'utf16le'), ['bl_7Kq2']],
  ['UTF-16, big-endian', UTF_16_BE, ['bl_7Kq2']],
  ['Latin-1', Buffer.from('Müller\xff bl_7Kq2\xe9', 'latin1'), ['bl_7Kq2']],
  ['NUL bytes', '\0\0bl_7Kq2\0', ['bl_7Kq2']],
  ['texts that end with NUL', 'bl_7Kq2\x00202\0bl_8\0\0\0x9\0', ['bl_7Kq2', 'bl_8']],
  ['texts that end with NUL, one of one character', 'bl_7Kq2\0\x003\0', ['bl_7Kq2']],
  ['UTF-16 with other letters', Buffer.from('额度bl_7Kq2已', 'utf16le'), ['bl_7Kq2']],
  ['dashes', 'see -bl_7Kq2- and --doc81fa20--', ['bl_7Kq2', '-bl_7Kq2-', '--doc81fa20--', 'doc81fa20']],
  ['names of object properties', '{"__proto__":{"constructor":"toString"},"hasOwnProperty1":1}', ['hasOwnProperty1']],
  ['nothing', '', []],
  [
    'words, numbers and timestamps, which are no ids',
    'approved 1234567 2026-11-22T10:00:00Z 20261122T100000Z bl_ company_ abc1',
    [],
  ],
])('ids are found in %s', (_what, content, ids) => {
  const found = idsOf(content);
  expect(found.filter((id) => ids.includes(id))).toEqual(ids);
  expect(found.filter((id) => id.startsWith('bl_') || id.startsWith('company_'))).toEqual(
    ids.filter((id) => id.startsWith('bl_') || id.startsWith('company_')),
  );
});

test('at most MOST_IDS ids are kept, those with a known prefix first, and the others are counted', () => {
  const others = Array.from({ length: 9_990 }, (_none, at) => `other-${at}x`);
  const ours = Array.from({ length: 10 }, (_none, at) => `bl_${at}`);
  const { ids, more } = idsIn(Buffer.from([...others, ...ours, ...ours].join(',')));
  expect(ids).toHaveLength(MOST_IDS);
  expect(ids.slice(0, 10)).toEqual(ours);
  expect(more).toBe(10_000 - MOST_IDS);
});

test('ids beyond the kept ones are counted once each, also if their text is read twice', () => {
  const ids = Array.from({ length: 100 }, (_none, at) => `other-${at}x`).join(',');
  expect(idsIn(Buffer.from(`${ids},${ids}\\n`)).more).toBe(100 - MOST_IDS);
});

test.each([
  ['bl_7Kq2', 4],
  ['bl_7%4bq2', 6],
  ['bl_7\\u004bq2', 8],
  ['bl_7\\u004bq2', 5],
  ['bl_7%4bq2', 5],
])('an id that is cut in %s where the reading of escapes ends is not reported by its beginning', (id, fits) => {
  const before = '%20'.padEnd(256 * 1_024 - fits);
  const { ids } = idsIn(Buffer.from(`${before}${id} and more`));
  expect(ids).not.toContain('bl_7K');
  // The raw bytes still contain it.
  expect(ids.filter((one) => one.startsWith('bl_'))).toEqual(id === 'bl_7Kq2' ? [id] : ['bl_7']);
});

test('text that is escaped throughout yields at most one id', () => {
  for (const piece of ['\\', '%', '%4', '\\u00', 'a1-', '\0']) {
    expect(idsIn(Buffer.from(piece.repeat(60_000))).ids.length).toBeLessThanOrEqual(1);
  }
});

// Promise: ids-found-in-bytes
test('an id is found between any other bytes', () => {
  const id = fc
    .tuple(fc.constantFrom('bl_', 'company_', 'doc-1'), fc.stringMatching(/^[A-Za-z0-9]{6,40}$/))
    .map(([prefix, rest]) => `${prefix}${rest}`);
  // Excludes bytes that may be a part of an id, or begin an escape that swallows its first letters.
  const isApart = (byte: number) => !/[A-Za-z0-9_%\\-]/.test(String.fromCharCode(byte));
  const around = fc
    .array(fc.nat(255).filter(isApart), { minLength: 1, maxLength: 200 })
    .map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(around, id, around, (before, one, behind) => {
      expect(idsIn(Buffer.concat([before, Buffer.from(one), behind])).ids).toContain(one);
    }),
    { numRuns: 60 },
  );
});

test('any bytes are searched without an error, and yield few, valid and distinct ids', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
      const { ids, more } = idsIn(Buffer.from(bytes));
      expect(ids.every((id) => /^[\w-]{4,128}$/.test(id))).toBe(true);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBeLessThanOrEqual(MOST_IDS);
      expect(more).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 60 },
  );
});

test('an id table counts ids like a map, and finds no others', () => {
  const id = fc.oneof(fc.string({ minLength: 1, maxLength: 12 }), fc.constantFrom('__proto__', 'bl_1', 'bl_2'));
  fc.assert(
    fc.property(fc.array(id, { maxLength: 60 }), fc.array(id, { maxLength: 20 }), (ids, others) => {
      const [table, known] = [makeIdTable(60), new Map<string, number>()];
      for (const [atMs, one] of ids.entries()) {
        known.set(one, (known.get(one) ?? 0) + 1);
        table.add(one, atMs + 1);
      }
      for (const one of [...ids, ...others]) {
        const slot = table.find(one);
        expect(slot === undefined ? undefined : table.at(slot)).toEqual(
          known.has(one) ? { count: known.get(one), lastMs: ids.lastIndexOf(one) + 1 } : undefined,
        );
      }
      expect(table.find('')).toBeUndefined();
    }),
    { numRuns: 100 },
  );
});

test('a full id table accepts no more ids, and still finds its own', () => {
  const table = makeIdTable(4);
  const slots = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => table.add(id, 1));
  expect(slots.filter((slot) => slot === undefined).length).toBeGreaterThan(0);
  expect(table.find('a')).toBe(slots[0]);
  expect(table.find('none')).toBeUndefined();
});

test('fifty thousand similar ids have distinct digests', () => {
  const table = makeIdTable(50_000);
  const slots = new Set<number | undefined>();
  for (let at = 0; at < 50_000; at += 1) slots.add(table.add(`company_${at.toString(36)}`, 1));
  expect(slots.size).toBe(50_000);
});
