import { expect, test } from 'vitest';
import { explainEmptyRetry, explainLine, type Retry } from '../../../jobs/operators/explain-rows.ts';
import { resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import type { FaultChange } from '../../../src/stand-in/fault-settings.ts';
import { openPortfolio } from '../../support/approved-portfolio.ts';
import { acme, asking, buyerLines, openCorrections, openWorkplace, zinc } from '../../support/workplace.ts';

/** A portfolio with one limit that met this fault, one finished row and one invalid line. */
async function openPlace(fault: NonNullable<FaultChange['rules']>[number]) {
  const place = await openWorkplace({ faults: { rules: [fault] } });
  await place.import([...buyerLines(2), 'Broken AG,Nowhere,HRB 9,1']);
  await place.work();
  await place.settled();
  const why = (retry: Partial<Retry>) =>
    explainEmptyRetry({ portfolio: 'q4', state: 'refused', ...retry }, place.context);
  return Object.assign(why, { place });
}

// Promise: retry-says-why-not
test("a retry that matches nothing explains the line's real state and the command for it", async () => {
  const why = await openPlace({ on: 'limit', match: 'HRB 1', fault: 'reset', times: 1 });
  expect(await why({ line: 999 })).toMatch(/^There is no line 999 in portfolio "q4"\. .*--format csv/);
  expect(await why({ line: 2 })).toMatch(
    /^Line 2 .* is held at the step limit.*npx limitline resolve "q4" --line 2 --made ID/,
  );
  expect(await why({ line: 3 })).toMatch(/^Line 3 .* is done \(bl_/);
  expect(await why({ line: 4 })).toMatch(/^Line 4 .* led to no row: it is invalid\. .*--format errors-csv/);
  await why.place.context.portfolios.setSupplier('q4', { body: {}, key: 's', problem: 'refused' });
  expect(await why({ line: 3 })).toMatch(
    / is done \(bl_.*\)\. No company was made for its supplier: see the report\.$/,
  );
  expect(await why({})).toMatch(
    /^No row .* is refused \(1 done, 1 held\)\. To say .*npx limitline report "q4" --state held/,
  );
});

test('rows that a later file corrected do not count as cancelled', async () => {
  const { importLines, context } = await openCorrections();
  await importLines(acme(1), zinc(1));
  await importLines(acme(2), zinc(1));
  expect(await explainEmptyRetry({ portfolio: 'q4', state: 'cancelled' }, context)).toBe(
    'No row of portfolio "q4" is cancelled (2 queued, 1 corrected or left out by a later file).',
  );
});

test('a retry with a text that no problem contains explains that, for one line and for all', async () => {
  const why = await openPlace({ on: 'limit', match: 'HRB 1', fault: 'status', status: 422, body: 'too high' });
  expect(await why({ line: 2, error: 'odd' })).toMatch(
    /^Line 2 .* is refused, but its problem does not contain "odd"\. .*errors-csv/,
  );
  expect(await why({ error: 'odd' })).toMatch(/^No refused row .* has a problem that contains "odd"\. .*errors-csv/);
});

// Promise: retry-says-why-not
test('a retry of refused rows explains how to retry the cancelled ones, if there are only those', async () => {
  const { import: bring, context } = await openWorkplace();
  await bring(buyerLines(1));
  const [row] = await context.rows.inState('q4', 'queued', { count: 1 });
  await context.portfolios.cancel('q4');
  await context.rows.cancel(row?.row as never);
  expect(await explainEmptyRetry({ portfolio: 'q4', state: 'refused' }, context)).toBe(
    'No row of portfolio "q4" is refused (1 cancelled). To send the cancelled ones again: npx limitline retry "q4" --state cancelled.',
  );
});

// Promise: retry-says-why-not
test('a retry names the row that replaced a row, and the command for a row that a file left out', async () => {
  const { importLines, import: bring, context } = await openCorrections();
  await importLines(acme(1000), zinc(1));
  const [old, other] = await context.rows.inState('q4', 'queued', { count: 2 });
  await importLines(acme(1200), zinc(1));
  const why = (row = '') => explainEmptyRetry({ portfolio: 'q4', state: 'cancelled', row }, context);
  const words = await explainEmptyRetry({ portfolio: 'q4', state: 'refused', row: old?.row.key }, context);
  expect(words).toMatch(
    /^Row q4\/\w+ was replaced by line 2 of q4\.csv #2 in portfolio q4 \(1,200.00, queued\), row q4\/\w+, and no retry sends it\. Import its own line/,
  );
  expect(await why(old?.row.key)).toBe(words);
  await bring(asking(acme(1200)), { replace: true });
  expect(await why(other?.row.key)).toMatch(
    / was given up: npx limitline retry "q4" --state cancelled --row \w+ sends it again\.$/,
  );
});

test('a line whose answer waits for approval is explained with the command that decides it', async () => {
  const { approve, all, hold, context } = await openPortfolio(1, { APPROVE_ALWAYS: 'on' });
  await approve();
  for (const row of await all('queued')) await hold(row);
  await resolveCalls({ portfolio: 'q4', line: 2 }, context);
  const [approval] = await context.approvals.waiting();
  const { id } = approval ?? {};
  expect(await explainLine('q4', 2, context)).toBe(
    `Line 2 of portfolio "q4" has an answer that waits for another person's approval: npx limitline approve "q4" --as USER --approval ${id}, or the console's page /approvals/${id}.`,
  );
});
