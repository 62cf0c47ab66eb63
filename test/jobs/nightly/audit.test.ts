import { expect, test } from 'vitest';
import { makeSharedKeys } from '../../../src/ledger/schema/keys.ts';
import { foundBy } from '../../support/found-by.ts';
import { openWorkplace } from '../../support/workplace.ts';

test('a check that is to stop reads no trail to its end', async () => {
  const { context } = await openWorkplace();
  await context.audit.note({ by: 'alice', what: 'one', from: 'test' });
  await expect(context.audit.verify(undefined, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
});

// Promise: night-verifies-trail
test('a trail from which an entry was taken is found at night, and one that is whole is not', async () => {
  const { context } = await openWorkplace();
  const keys = makeSharedKeys(context.settings.LIMITLINE_PREFIX);
  for (const what of ['one', 'two', 'three']) await context.audit.note({ by: 'alice', what, from: 'test' });
  expect(await foundBy(context)).toEqual([]);
  const entries = await context.ledger.xrange(keys.audit, '-', '+');
  await context.ledger.xdel(keys.audit, entries.at(-2)?.[0] ?? '');
  expect(await foundBy(context)).toEqual([
    { portfolio: '', finding: 'the audit trail does not hold: entries are missing, or were changed', rows: 1 },
  ]);
});
