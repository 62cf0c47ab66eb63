import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundedDraft, boundedFacts, entryText, readEntry } from '../../src/audit/entry.ts';

const PLACE = { number: 1, atMs: 1, account: 'a', prev: 'p' };

test('the fields of an entry have a fixed order', () => {
  const facts = { b: 1, a: 2 };
  const one = entryText({ by: 'ann', what: 'x', from: 'here', about: 'q4', facts }, PLACE);
  const other = entryText({ facts, about: 'q4', from: 'here', what: 'x', by: 'ann' }, { ...PLACE });
  expect(one).toBe(other);
  expect(one).toBe(
    '{"number":1,"atMs":1,"account":"a","by":"ann","what":"x","from":"here","about":"q4","facts":{"b":1,"a":2},"prev":"p"}',
  );
});

test('an entry has a bounded size, and a cut one is marked', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 20 }),
      fc.string({ maxLength: 20_000 }),
      (facts, long) => {
        const draft = boundedDraft({ by: long, what: long, from: long, about: long, facts: { ...facts, long } });
        const text = entryText(draft, PLACE);
        expect(Buffer.byteLength(text)).toBeLessThan(8_000 + 4 * 6 * 200 + 200);
        const wasCut = long.length > 8_000;
        if (wasCut) expect(readEntry(text)?.facts?.cut).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

test('short facts stay unchanged, and long texts are shortened before facts are left out', () => {
  expect(boundedFacts({ rows: 3, none: undefined, sum: 10n })).toEqual({ rows: 3, sum: '10' });
  const cut = boundedFacts({ rows: 3, long: 'x'.repeat(20_000) });
  expect(cut).toMatchObject({ rows: 3, cut: true });
  expect(cut.long).toHaveLength(200);
  expect(boundedFacts({ many: Array.from({ length: 5_000 }, (_, number) => number) })).toMatchObject({
    cut: true,
    text: expect.stringContaining('{"many":[0,1,2'),
  });
});

test('fields whose names suggest a secret are left out at any depth', () => {
  expect(
    boundedFacts({ password: 'a', new: { totpSecret: 'b', passwordChanged: true }, recoveryCodes: ['c'] }),
  ).toEqual({
    password: '(left out)',
    new: { totpSecret: '(left out)', passwordChanged: true },
    recoveryCodes: '(left out)',
  });
});
