import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeDocumentIndex } from '../../../../jobs/nightly/ledger/documents.ts';

test('an added document counts as unnamed until it is named, and an unknown one is refused', () => {
  const digest = fc.stringMatching(/^[0-9a-f]{64}$/);
  const digests = fc.uniqueArray(digest, { maxLength: 2_100, size: 'max' });
  fc.assert(
    fc.property(digests, digests, (stored, others) => {
      const index = makeDocumentIndex();
      for (const each of stored) index.add(each);
      expect(index.unnamedCount()).toBe(stored.length);
      const named = stored.filter((_, at) => at % 3 === 0);
      for (const each of named) expect(index.name(each)).toBe(true);
      for (const each of others.filter((one) => !stored.includes(one))) expect(index.name(each)).toBe(false);
      expect(stored.filter(index.isUnnamed)).toEqual(stored.filter((_, at) => at % 3 !== 0));
      expect(index.unnamedCount()).toBe(stored.length - named.length);
    }),
    { numRuns: 4 },
  );
});
