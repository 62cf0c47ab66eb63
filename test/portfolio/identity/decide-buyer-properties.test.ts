import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Decision } from '../../../src/portfolio/identity/identity.ts';
import { makeFileBook, makeFileBuyers } from '../../../src/portfolio/identity/in-file/buyers.ts';
import { looseName } from '../../../src/portfolio/identity/loose-name.ts';
import { type Given, inWords, makeMapStore, tellFile, tellLines } from '../../support/buyers-fixture.ts';

const anyOf = (...values: string[]) => fc.constantFrom(undefined, ...values);
const anyLine = fc.record({
  ref: anyOf('1', '2', '02'),
  info: anyOf('5'),
  reg: anyOf('HRB 1', 'HRB 2', '03', '3'),
  name: fc.constantFrom('Müller GmbH', 'Mueller GmbH', 'Schmidt AG', 'Weiß AG', 'WEISS AG'),
  limit: fc.constantFrom('1', '2'),
});
const given = (line: { [key in keyof Given]?: string | undefined }) =>
  Object.fromEntries(Object.entries(line).filter(([, value]) => value !== undefined)) as Given;
const anyLines = fc.array(anyLine.map(given), { minLength: 1, maxLength: 8 });
const keyOf = (decision: Awaited<ReturnType<typeof tellFile>>[number] | undefined) =>
  decision?.is === 'known' ? decision.buyer.key : decision?.is === 'new' ? decision.key : undefined;

/** Corrected names are tested elsewhere: here every name counts as sent. */
const ALL_SENT = { has: () => true } as unknown as Set<string>;

// Promise: identifiers-kept-for-buyer
test('a line finds the same buyer again, whatever other files are imported between', async () => {
  await fc.assert(
    fc.asyncProperty(anyLines, anyLines, async (lines, others) => {
      const store = makeMapStore(ALL_SENT);
      const first = await tellFile(store, lines, { importId: 'a' });
      await tellFile(store, others, { importId: 'b' });
      const again = await tellFile(store, lines, { importId: 'a' });
      for (const [place, decision] of first.entries()) {
        if (decision.is !== 'unclear') expect(keyOf(again[place])).toBe(keyOf(decision));
      }
    }),
  );
});

// Promise: references-tell-buyers-apart
test('two references never share a buyer, nor do two names', async () => {
  await fc.assert(
    fc.asyncProperty(anyLines, async (lines) => {
      const decisions = await tellFile(makeMapStore(), lines);
      const references = new Map<string, Set<string>>();
      const names = new Map<string, Set<string>>();
      for (const [place, { ref, name = '' }] of lines.entries()) {
        const key = keyOf(decisions[place]);
        if (key === undefined) continue;
        references.set(key, (references.get(key) ?? new Set()).union(new Set(ref ? [ref] : [])));
        names.set(key, (names.get(key) ?? new Set()).union(new Set([looseName(name)])));
      }
      for (const its of [...references.values(), ...names.values()]) expect(its.size).toBeLessThanOrEqual(1);
    }),
  );
});

test('a check decides on a file as the ledger does, in batches of any size', async () => {
  await fc.assert(
    fc.asyncProperty(anyLines, fc.integer({ min: 1, max: 8 }), async (lines, batch) => {
      const compact = makeFileBuyers({ portfolio: 'q4', importId: 'a' });
      const words = inWords(await tellFile(makeMapStore(ALL_SENT), lines));
      expect(inWords(await tellFile(compact, lines, { batch }))).toEqual(words);
    }),
  );
});

test("a file's own book, without the ledger's buyers, decides and warns in the same way", async () => {
  await fc.assert(
    fc.asyncProperty(anyLines, fc.integer({ min: 1, max: 8 }), async (lines, batch) => {
      const place = { portfolio: 'q4', importId: 'a' };
      const exact = await tellFile(makeMapStore(ALL_SENT), lines);
      const told = await tellLines(makeFileBook(place), lines, batch);
      expect(inWords(told)).toEqual(inWords(exact));
      const said = (decisions: Decision[]) =>
        decisions.map((one) => (one.is === 'unclear' ? [one.problem] : one.warnings.map(({ message }) => message)));
      expect(said(told)).toEqual(said(exact));
    }),
  );
});

test('a check decides on a file as the import does if the ledger knows buyers already', async () => {
  await fc.assert(
    fc.asyncProperty(anyLines, anyLines, async (before, lines) => {
      const store = makeMapStore(ALL_SENT);
      await tellFile(store, before);
      const compact = makeFileBuyers({ portfolio: 'q4', importId: 'b', store });
      const checked = await tellFile(compact, lines, { importId: 'b', batch: 3 });
      const imported = await tellFile(store, lines, { importId: 'b' });
      expect(checked.map((one) => [one.is, keyOf(one)])).toEqual(imported.map((one) => [one.is, keyOf(one)]));
    }),
  );
});
