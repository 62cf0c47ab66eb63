import { expect, test } from 'vitest';
import { RESUMES } from '../../../src/console/access/access.ts';
import { firstWords } from '../../../src/ledger/rows/first-rows.ts';
import { NOT_OURS_WORDS, refusedAlikeWords } from '../../../src/ledger/schema/pause-reasons.ts';
import { as, byHeader, openConsole, openDesk } from '../../support/desk.ts';
import { PASSWORD } from '../../support/people.ts';

const FIONA = as('fiona', 'finance');
const FRANK = as('frank', 'finance');
const OLAF = as('olaf', 'operator');
const VERA = as('vera', 'viewer');

const ALIKE = refusedAlikeWords(10, 'company', { status: 400, message: 'refused with status 400', body: 'no' });

/** A portfolio of three rows whose only importer is fiona, and which can be paused with a reason. */
async function openPaused() {
  const desk = await openDesk(3);
  await desk.limitline('import', 'q4.csv', '--yes');
  const web = await openConsole(desk, byHeader);
  const { ledger, keys, people, portfolios, audit } = web.context;
  const hash = keys.portfolio('q4');
  await ledger.hset(hash, 'owner', 'fiona');
  for (const [name, role] of [
    ['fiona', 'finance'],
    ['olaf', 'operator'],
    ['otto', 'operator'],
  ] as const)
    await people.users.add({ name, roles: [role], password: PASSWORD, mustChange: false });
  const pause = async (why: string) => {
    await ledger.hset(hash, 'paused', why);
    if (why === firstWords(5)) await ledger.hset(hash, 'firstOver', why);
  };
  const paused = async () => (await portfolios.read('q4')).paused;
  const resume = async (who: Record<string, string>) => (await web.post('/portfolios/q4/resume', {}, who)).status;
  const read = async (who: Record<string, string>) => (await web.get('/portfolios/q4', who)).text;
  return { ...web, pause, paused, resume, read, audit };
}

test.each([
  ['none', undefined],
  ['first rows', firstWords(5)],
  ['refused alike', ALIKE],
  ['not ours', NOT_OURS_WORDS],
  ['by request', 'by request'],
] as const)('the pause reason “%s” has a rule for who may resume', async (kind, why) => {
  const { pause, context } = await openPaused();
  if (why !== undefined) await pause(why);
  expect((await context.portfolios.read('q4')).pauseKind).toBe(kind);
  expect(Object.keys(RESUMES.kinds)).toContain(kind);
});

// Promises: finance-resumes-own, who-ends-first-pause
test.each([
  ['after the first rows', firstWords(5)],
  ['after similar rejections', ALIKE],
])('a pause %s is resumed by the finance person who owns the portfolio, and by no other', async (_which, why) => {
  const { pause, paused, resume, read, audit } = await openPaused();
  await pause(why);
  expect(await read(FRANK)).not.toContain('/portfolios/q4/resume');
  expect(await read(FRANK)).toContain('fiona, olaf and otto may resume it.');
  expect(await resume(FRANK)).toBe(403);
  expect(await resume(VERA)).toBe(403);
  expect(await paused()).toBe(why);
  expect(await read(FIONA)).toContain('/portfolios/q4/resume');
  expect(await read(FIONA)).not.toContain('may resume it.');
  expect(await resume(FIONA)).toBe(303);
  expect(await paused()).toBeUndefined();
  // A second click is accepted after somebody else has resumed the portfolio.
  expect(await resume(FIONA)).toBe(303);
  const { entries } = await audit.read.page({
    count: 10,
    walk: 100,
    filter: { what: 'portfolio resumed', about: 'q4' },
  });
  expect(entries.map(({ by }) => by)).toEqual(Array(4).fill('fiona'));
  expect(entries.map(({ facts }) => facts?.pause).filter(Boolean)).toContain(
    why === ALIKE ? 'refused alike' : 'first rows',
  );
});

// Promise: finance-resumes-own
test.each([
  ['by a person', 'by request'],
  ['after answers to other requests', NOT_OURS_WORDS],
])('a pause %s is resumed by operators only', async (_which, why) => {
  const { pause, paused, resume, read } = await openPaused();
  await pause(why);
  expect(await read(FIONA)).not.toContain('/portfolios/q4/resume');
  expect(await read(FIONA)).toContain('olaf and otto may resume it.');
  expect(await read(FIONA)).not.toContain('fiona, olaf');
  expect(await resume(FIONA)).toBe(403);
  expect(await paused()).toBe(why);
  expect(await resume(OLAF)).toBe(303);
  expect(await paused()).toBeUndefined();
});

test('a pause for another reason that is made after the page was read is not resumed', async () => {
  const { pause, paused, resume, context } = await openPaused();
  await pause(firstWords(5));
  const { pauseKind } = await context.portfolios.read('q4');
  expect(pauseKind).toBe('first rows');
  await context.portfolios.pause('q4', 'by request');
  expect(await resume(FIONA)).toBe(403);
  expect(await paused()).toBe('by request');
});

test('resuming is refused when a colleague has paused again since the page was loaded', async () => {
  const { pause, paused, read, post } = await openPaused();
  await pause('by request of olaf');
  expect(await read(OLAF)).toContain('name="pause" value="by request of olaf"');
  await pause('by request of otto');
  expect((await post('/portfolios/q4/resume', { pause: 'by request of olaf' }, OLAF)).status).toBe(409);
  expect(await paused()).toBe('by request of otto');
  expect((await post('/portfolios/q4/resume', { pause: 'by request of otto' }, OLAF)).status).toBe(303);
});

// Promise: pages-name-who-may
test('a reader without the right sees who may send rows again, cancel and answer', async () => {
  const { read, get, context } = await openPaused();
  const [one, other, held] = await context.rows.inState('q4', 'queued', { count: 3 });
  for (const { row } of [one, other, held].filter((found) => found !== undefined))
    await context.rows.begin(row, 'company');
  const end = async (found: typeof one, to: 'refused' | 'held') => {
    if (!found) throw new Error('no row');
    const problem = { step: 'company', message: 'no' } as const;
    await context.rows.advance(found.row, 'company', to, { problem });
    return `/portfolios/q4/rows/${found.row.key}`;
  };
  const refused = await end(one, 'refused');
  const doubtful = await end(held, 'held');
  expect(await read(FRANK)).toContain('fiona, olaf and otto may send rejected rows again and cancel what is left.');
  expect(await read(VERA)).toContain('olaf and otto may answer.');
  expect(await read(OLAF)).not.toMatch(/ may (?:send|answer|cancel|resume)/);
  expect((await get(refused, FRANK)).text).toContain('fiona, olaf and otto may send it again.');
  expect((await get(refused, FIONA)).text).not.toContain('may send it again');
  expect((await get(doubtful, FIONA)).text).toContain('olaf and otto may do that.');
  expect((await get('/', FIONA)).text).toContain('olaf and otto may answer.');
});

// Promise: pages-name-who-may
test('a retry in a paused portfolio says that it waits, and who may resume the portfolio', async () => {
  const { pause, get, post, context } = await openPaused();
  const [one] = await context.rows.inState('q4', 'queued', { count: 1 });
  if (!one) throw new Error('no row');
  await context.rows.begin(one.row, 'company');
  await context.rows.advance(one.row, 'company', 'refused', { problem: { step: 'company', message: 'no' } });
  await pause('by request');
  const waits = 'The portfolio is paused: nothing of it goes before olaf or otto resumes it.';
  const { text } = await get('/plans/new?portfolio=q4&action=retry', FIONA);
  expect(text).toContain(waits);
  const address = `/portfolios/q4/rows/${one.row.key}`;
  const retried = await post(`${address}/retry`, {}, FIONA);
  expect((await get(retried.headers.get('location') ?? '', FIONA)).text).toContain(waits);
});

test('without known users the page names the role that may resume', async () => {
  const desk = await openDesk(1);
  await desk.limitline('import', 'q4.csv', '--yes');
  await desk.limitline('pause', 'q4');
  const { get } = await openConsole(desk, byHeader);
  expect((await get('/portfolios/q4', VERA)).text).toContain('Somebody with the role operator may resume it.');
});
