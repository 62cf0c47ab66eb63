import { expect, test } from 'vitest';
import { doWhatIsDue } from '../../../scripts/commands/nightly.ts';
import { openWorkplace } from '../../support/workplace.ts';

test('one pass looks for notices, as a permanent process does', async () => {
  const { context } = await openWorkplace({ env: { LIMITLINE_SCHEDULE: 'off' } });
  expect(await doWhatIsDue(context, { signal: new AbortController().signal })).toEqual([]);
  expect(await context.ledger.hget(context.keys.noticeStates, 'watch')).toMatch(/^since \d+$/);
});
