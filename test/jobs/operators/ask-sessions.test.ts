import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { archivePortfolio } from '../../../jobs/archive/archive-portfolio.ts';
import { forgetPortfolio } from '../../../jobs/archive/forget-portfolio.ts';
import { restorePortfolio } from '../../../jobs/archive/restore-portfolio.ts';
import { askedSessionsWords, askSessions } from '../../../jobs/operators/ask-sessions.ts';
import { rowStory } from '../../../jobs/story/row-story.ts';
import { masked } from '../../../src/console/privacy/mask.ts';
import type { Context } from '../../../src/context.ts';
import { found } from '../../support/checked-ledger.ts';
import { keyContents } from '../../support/key-contents.ts';
import { expectStates, openSessionPlace, sessionPlace, writeSessionFile } from '../../support/session-file.ts';
import { buyerLines, exportedText, openWorkplace } from '../../support/workplace.ts';

const options = { by: 'anna', signal: new AbortController().signal };
const LINK = /hosted\.example/;

/** The results of a portfolio, as a list of cells for each line. */
const resultsOf = async (context: Context): Promise<string[][]> => parse(await exportedText(context));

async function storyOf(context: Context) {
  const [row] = await context.rows.inState('q4', 'done', { count: 1 });
  const story = row && (await rowStory(row.row, context));
  if (!story) throw new Error('no row is done');
  return story;
}

// Promise: link-in-results
test('results contain session links, also for a repeated faulty line, and no column without any request', async () => {
  const place = await openSessionPlace(2);
  expect((await resultsOf(place.context))[0]).not.toContain('session_link');
  await place.ask();
  await expectStates(place, [['made'], ['made']]);
  const [head = '', first = '', second = ''] = buyerLines(2);
  await place.import([`${head},website`, `${first},no address`, `${second},`, 'Third AG,DE,HRB 3,nothing,']);
  await place.settled();
  const [header = [], ...lines] = await resultsOf(place.context);
  expect(header.at(-1)).toBe('session_link');
  const state = header.indexOf('state');
  expect(lines.map((cells) => [cells[state], LINK.test(cells.at(-1) ?? '')])).toEqual([
    ['done', true],
    ['done', true],
    ['invalid', false],
  ]);
  // The first line is the faulty one, with its earlier row.
  expect(lines[0]?.join()).toContain('website: The address');
});

test('a line number is ambiguous only if two limits have it', async () => {
  const place = await openSessionPlace(1);
  const [head = '', first = ''] = buyerLines(1);
  await place.import([head, 'Other AG,DE,HRB 9,7', first]);
  await place.settled();
  expect(await place.ask({ line: 3 })).toMatchObject({ asked: 1 });
  await place.import([head, first.replace('HRB 1', 'HRB 77'), 'Other AG,DE,HRB 9,8']);
  await place.settled();
  await expect(place.ask({ line: 3 })).rejects.toThrow(/Several limits have line number 3/);
});

// Promise: link-is-forgotten
test('forgetting a portfolio removes its session links, and a late answer does not restore them', async () => {
  const slow = { on: 'session', fault: 'slow', bytesPerS: 60 } as const;
  const place = await openSessionPlace(1);
  await place.ask();
  await expectStates(place, [['made']]);
  await place.standIn.setFaults({ rules: [slow] });
  await place.ask({ line: 2 }, true);
  await expectStates(place, [['sent', 'made']]);
  const links = async () =>
    (await keyContents(place.context)).filter(({ value }) => LINK.test(value)).map(({ key }) => key);
  expect(await links()).toHaveLength(1);
  await forgetPortfolio('q4', options, place.context);
  expect(await links()).toEqual([]);
  await place.workers.stop();
  expect(place.standIn.sessions()).toHaveLength(2);
  expect(await links()).toEqual([]);
  expect(await place.context.calls.sessions.waiting()).toEqual([]);
});

// Promise: shared-limit-shares-sessions
test('a forgotten link does not count for another portfolio that shares the limit', async () => {
  const place = await openSessionPlace(1);
  await place.import(buyerLines(1), { portfolio: 'again' });
  await place.settled('again');
  await place.ask();
  await expectStates(place, [['made']]);
  const shared = { portfolio: 'again' };
  expect(askedSessionsWords(await place.ask(shared))).toContain('1 has a link already');
  await forgetPortfolio('q4', options, place.context);
  expect(await place.ask(shared)).toMatchObject({ asked: 1 });
  await expect.poll(() => place.standIn.sessions().length, { timeout: 60_000 }).toBe(2);
});

// Promise: session-ends-with-archive
test('an archived portfolio requests no session, and shows its links again after it is restored', async () => {
  const place = await openSessionPlace(1);
  await place.ask();
  await expectStates(place, [['made']]);
  await place.workers.stop();
  await place.ask({ line: 2 }, true);
  await archivePortfolio(place.context, 'q4', options);
  await expect(place.ask()).rejects.toThrow(/is archived/);
  const workers = await place.work();
  await expect.poll(() => place.context.calls.sessions.waiting(), { timeout: 60_000 }).toEqual([]);
  await workers.stop();
  expect(place.standIn.sessions()).toHaveLength(1);
  await restorePortfolio(place.context, 'q4', options);
  await expectStates(place, [['dropped', 'made']]);
});

// Promise: unknown-session-not-repeated
test('the nightly check ignores sessions that wait, are held or were refused', async () => {
  const rules = [422, 500].map((status) => ({ on: 'session', fault: 'status', status, times: 1 }) as const);
  const place = await openSessionPlace(3, { faults: { rules } });
  const before = await found(place);
  await place.ask({ line: 2 });
  await expectStates(place, [['refused'], [], []]);
  await place.ask({ line: 3 });
  await expectStates(place, [['refused'], ['held'], []]);
  await place.context.portfolios.pause('q4', 'by request');
  await place.ask({ line: 4 });
  expect(await found(place)).toEqual(before);
  await expectStates(place, [['refused'], ['held'], ['waits']]);
  await place.context.portfolios.resume('q4');
  await expectStates(place, [['refused'], ['held'], ['made']]);
});

// Promises: viewers-see-no-link, session-refused-by-status
test.each([422, 500])('a link is masked for viewers, also in the body of status %i', async (status) => {
  const body = { error: 'see https://hosted.example/s/secret' };
  const rules = [{ on: 'session', fault: 'status', status, body, times: 1 } as const];
  const place = await openSessionPlace(1, { faults: { rules } });
  await place.ask();
  await expectStates(place, [[status === 500 ? 'held' : 'refused']]);
  await place.ask({ line: 2 }, true);
  await expectStates(place, [['made', status === 500 ? 'held' : 'refused']]);
  const story = await storyOf(place.context);
  expect(JSON.stringify(story)).toMatch(LINK);
  expect(JSON.stringify(masked(story))).not.toMatch(LINK);
});

// Promise: session-needs-its-ids
test('a session that needs the supplier is not requested for a portfolio without one', async () => {
  const place = await openSessionPlace(1, {
    change: { body: { buyer_company: sessionPlace('buyer'), of: sessionPlace('supplier') } },
  });
  const asked = await place.ask();
  expect(asked).toMatchObject({ asked: 0, lacks: 1, places: ['supplier'] });
  const words = '1 lacks a value for supplier';
  expect(askedSessionsWords(asked)).toContain(`${words}: import the file again with --supplier FILE.`);
  expect(askedSessionsWords(asked, '')).toContain(`${words}.`);
});

// Promise: declined-limit-no-session
test('a declined limit gets a session only with --resend, also in a portfolio that shares it', async () => {
  const rules = [
    { on: 'limit', match: 'HRB 1', fault: 'decision', status: 'no', share: 1 } as const,
    { on: 'limit', match: 'HRB 2', fault: 'decision', status: 'approved', share: 0 } as const,
  ];
  const place = await openSessionPlace(3, { faults: { rules }, env: { STATUS_MEANINGS: 'no=declined' } });
  const asked = await place.ask();
  expect(asked).toMatchObject({ asked: 1, declined: 2 });
  expect(askedSessionsWords(asked)).toContain(
    '2 limits were declined, so no session is asked for: --line N --resend asks for a new one',
  );
  await place.import(buyerLines(1), { portfolio: 'again' });
  expect((await place.settled('again')).states.skipped).toBe(1);
  expect(await place.ask({ portfolio: 'again' })).toMatchObject({ asked: 0, declined: 1 });
  expect(await place.ask({ line: 2 }, true)).toMatchObject({ asked: 1, declined: 0 });
  await expectStates(place, [['made'], [], ['made']]);
});

test('no session is requested before the limit is made, such as during an approval', async () => {
  const SERVICE_SESSION_FILE = await writeSessionFile();
  const { context, ...place } = await openWorkplace({ env: { APPROVE_ALWAYS: 'on', SERVICE_SESSION_FILE } });
  await place.import(buyerLines(1));
  await place.work();
  const [row] = await context.rows.inState('q4', 'awaiting', { count: 1 });
  expect(await askSessions({ portfolio: 'q4' }, { by: 'olga' }, context)).toMatchObject({ asked: 0 });
  const one = { portfolio: 'q4', row: row?.row.key };
  await expect(askSessions(one, { by: 'olga' }, context)).rejects.toThrow(/is awaiting: a hosted session comes after/);
  expect(row && (await context.calls.sessions.ask(row.row, 'bl_1', { by: 'olga', anew: true }))).toBe('none');
});
