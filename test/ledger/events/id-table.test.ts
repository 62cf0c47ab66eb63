import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeIdTable } from '../../../src/ledger/events/event-ids.ts';

test('ids are counted, and no others are found, as in a map', () => {
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

test('a table that is full takes no more, and is found in all the same', () => {
  const table = makeIdTable(4);
  const slots = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => table.add(id, 1));
  expect(slots.filter((slot) => slot === undefined).length).toBeGreaterThan(0);
  expect(table.find('a')).toBe(slots[0]);
  expect(table.find('none')).toBeUndefined();
});

test('fifty thousand ids of one kind have digests of their own', () => {
  const table = makeIdTable(50_000);
  const slots = new Set<number | undefined>();
  for (let at = 0; at < 50_000; at += 1) slots.add(table.add(`company_${at.toString(36)}`, 1));
  expect(slots.size).toBe(50_000);
});
