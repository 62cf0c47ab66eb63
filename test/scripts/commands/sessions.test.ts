import { expect, test } from 'vitest';
import type { FaultChange } from '../../../src/stand-in/fault-settings.ts';
import { openConsole, openDesk } from '../../support/desk.ts';
import { freshPrefix } from '../../support/ledger.ts';
import { expectStates, openSessionPlace, sessionPlace, writeSessionFile } from '../../support/session-file.ts';
import { importUnderReview } from '../../support/under-review.ts';
import { makeKeptLog } from '../../support/workplace.ts';

const LINK = /hosted\.example/;
const LINKS = /hosted\.example/g;

async function openSessionDesk(rows: number, settings: Record<string, string> = {}) {
  return openDesk(rows, {}, { SERVICE_SESSION_FILE: await writeSessionFile(), ...settings });
}

test('run --sessions requests a session for each limit, and the links are in the results only', async () => {
  const { limitline, json, read, standIn } = await openSessionDesk(2);
  const ran = await limitline('run', 'q4.csv', '--sessions');
  expect(ran.stderr).toContain('2 hosted sessions are asked for.');
  expect(`${ran.stdout}${ran.stderr}`).not.toMatch(LINK);
  expect(ran.status).toBe(0);
  expect(standIn.sessions()).toHaveLength(2);
  expect((await read('q4.results.csv')).match(/hosted\.example/g)).toHaveLength(2);
  for (const options of [[], ['--like-input']])
    expect((await limitline('report', 'q4', '--format', 'csv', ...options)).stdout.match(LINKS)).toHaveLength(2);
  const again = await json('sessions', 'q4');
  expect(again).toMatchObject({ asked: 0, made: 2 });
  const { stdout } = await limitline('sessions', 'q4', '--line', '2', '--resend');
  expect(stdout).toContain('1 hosted session is asked for.');
  expect(stdout).toContain('none runs now');
  const { entries } = await json('audit', 'list', '--what', 'hosted sessions asked for');
  expect(entries).toContainEqual(expect.objectContaining({ about: 'q4', facts: { line: 2, resend: true } }));
});

// Promise: run-waits-for-sessions
test('run --sessions reports what became of each session, and ends with 2 when a limit has no link', async () => {
  const { limitline, standIn, json, cwd, env } = await openSessionDesk(3);
  const body = { error: 'no such buyer, see https://hosted.example/s/secret', more: 'x'.repeat(300) };
  const status = (code: number) => ({ on: 'session', fault: 'status', status: code, body, times: 1 }) as const;
  await standIn.setFaults({ rules: [status(422), status(500)] });
  const ran = await limitline('run', 'q4.csv', '--sessions');
  expect(ran.stderr).toContain('hosted sessions: 1 made, 1 refused, nobody knows what became of 1.');
  expect(ran.status).toBe(2);
  // Run and report name both sessions with the remedy and the answer of the service, without its link.
  const told = /Hosted session of line \d, Buyer \d GmbH: .*no such buyer, see \(a link\).*x…\n/;
  expect(ran.stderr).toMatch(told);
  const { sessions } = await json('report', 'q4');
  expect(sessions).toEqual({ refused: [expect.stringMatching(/^q4\//)], held: [expect.stringMatching(/^q4\//)] });
  const { stdout } = await limitline('report', 'q4');
  expect(stdout).toMatch(told);
  expect(`${ran.stderr}${stdout}`).not.toMatch(LINK);
  const [refused, held] = [sessions.refused[0].slice(3), sessions.held[0].slice(3)];
  expect(stdout).toContain(`rejected, 1 hosted session (rows ${refused}): npx limitline sessions "q4" --row ID`);
  expect(stdout).toContain(`what became of 1 hosted session (rows ${held}), or ask for a second one`);
  const web = await openConsole({ cwd, env });
  const page = await web.get('/portfolios/q4');
  expect(page.text).toContain('1 hosted session was rejected by the service.');
  expect(page.text).toContain('Nobody knows what became of 1 hosted session.');
  expect((await web.get(`/portfolios/q4/rows/${refused}`)).text).toContain('request another session.');
  expect((await web.get(`/portfolios/q4/rows/${held}`)).text).toContain('A new one would be a second session.');
  // The refused session is requested again.
  const again = await limitline('run', 'q4.csv', '--sessions');
  expect(again.stderr).toContain('hosted sessions: 2 made, nobody knows what became of 1.');
  expect((await json('report', 'q4')).sessions).toMatchObject({ refused: [], held: [expect.anything()] });
  expect(again.status).toBe(2);
});

// Promise: run-waits-for-sessions
test('run --sessions ends with 0 when only declined limits have no link, and the page offers a session for these', async () => {
  const { limitline, standIn, cwd, env } = await openSessionDesk(2);
  const rules = [{ on: 'limit', match: 'HRB 1', fault: 'decision', status: 'approved', share: 0 } as const];
  await standIn.setFaults({ rules });
  const ran = await limitline('run', 'q4.csv', '--sessions');
  expect(ran.stderr).toContain(
    '1 limit was declined, so no session is asked for: --line N --resend asks for a new one',
  );
  expect(ran.stderr).toContain('hosted sessions: 1 made, none for 1 declined limit.');
  expect(ran.status).toBe(0);
  const web = await openConsole({ cwd, env });
  const done = await web.context.rows.inState('q4', 'done', { count: 2 });
  const first = done.find(({ line }) => line === 2);
  const address = `/portfolios/q4/rows/${first?.row.key}`;
  expect((await web.get(address)).text).toMatch(/The service declined this limit.*Request one all the same/s);
  expect((await web.post(`${address}/session`)).text).toContain('1 limit was declined, so no session is asked for.');
  expect((await web.post(`${address}/session`, { resend: '0' })).status).toBe(303);
});

// Promise: recover-restores-link
test('recover restores links from the results file, and the next run requests no session again', async () => {
  const desk = await openSessionDesk(2);
  const { limitline, json, read, standIn } = desk;
  await limitline('run', 'q4.csv', '--sessions');
  const links = [...(await read('q4.results.csv')).matchAll(/https:\/\/hosted\.example[^\s,"]*/g)].map(
    ([link]) => link,
  );
  expect(links).toHaveLength(2);
  desk.env.LIMITLINE_PREFIX = freshPrefix();
  const counts = async (...more: string[]) => {
    const { put, known } = (await json('recover', 'q4.results.csv', ...more)).files[0];
    return [put.session, known.session];
  };
  expect(await counts()).toEqual([2, 0]);
  const { stdout } = await limitline('recover', 'q4.results.csv', '--apply');
  expect(stdout).toMatch(/hosted sessions +2 put back/);
  expect(stdout).toContain('It does not say whether a session was held or refused');
  expect(await counts('--apply')).toEqual([0, 2]);
  const again = await limitline('run', 'q4.csv', '--sessions');
  expect(again.stderr).toContain('2 have a link already');
  expect(standIn.sessions()).toHaveLength(2);
  const text = await read('q4.results.csv');
  for (const link of links) expect(text).toContain(link);
});

// Promises: run-ends-when-sessions-wait, pause-keeps-sessions, run-waits-for-sessions
test('run --sessions ends when the queue is paused, and reports the waiting sessions', async () => {
  const desk = await openSessionDesk(1);
  const { limitline, standIn } = desk;
  await importUnderReview(desk);
  await limitline('pause', '--queue', 'buyer-limits');
  const { stderr, status } = await limitline('run', 'q4.csv', '--sessions');
  expect(stderr).toContain('1 hosted session waits, since the queue buyer-limits is paused.');
  expect(status).toBe(2);
  expect(standIn.sessions()).toHaveLength(0);
});

test('without SERVICE_SESSION_FILE no session is requested, and no page offers one', async () => {
  const desk = await openDesk(1);
  expect((await desk.limitline('run', 'q4.csv', '--sessions')).stderr).toContain('set SERVICE_SESSION_FILE');
  await importUnderReview(desk);
  expect((await desk.limitline('sessions', 'q4')).stderr).toContain('set SERVICE_SESSION_FILE');
  const web = await openConsole(desk);
  const [found] = await web.context.rows.inState('q4', 'done', { count: 1 });
  expect((await web.get(`/portfolios/q4/rows/${found?.row.key}`)).text).not.toContain('Hosted session');
});

// Promises: earlier-links-stay-known, link-in-results
test('the page of a row requests a session, shows its link and age, and offers a new one', async () => {
  const { limitline, cwd, env } = await openSessionDesk(1);
  await limitline('run', 'q4.csv');
  const web = await openConsole({ cwd, env });
  const [found] = await web.context.rows.inState('q4', 'done', { count: 1 });
  const address = `/portfolios/q4/rows/${found?.row.key}`;
  expect((await web.get(address)).text).toContain('Request a hosted session');
  expect((await web.post(`${address}/session`)).status).toBe(303);
  expect((await web.post(`${address}/session`)).status).toBe(409);
  expect((await web.get(address)).text).toContain('limits are sent first');
  await limitline('run', 'q4.csv', '--sessions');
  const { text } = await web.get(address);
  expect(text).toMatch(LINK);
  expect(text).toMatch(/<dt>Sent<\/dt><dd>.* ago<\/dd>/);
  expect(text).toContain('set up how this is requested: the service does not document it');
  expect(text).toContain('Request a new one');
  const again = await web.post(`${address}/session`);
  expect(again.status).toBe(409);
  expect(again.text).toContain('1 has a link already.');
  expect((await web.post(`${address}/session`, { resend: '1' })).status).toBe(303);
  // Pressed twice, or on an old page.
  const twice = await web.post(`${address}/session`, { resend: '1' });
  expect(twice.status).toBe(409);
  expect(twice.text).not.toContain('--resend');
  await limitline('run', 'q4.csv', '--sessions');
  expect((await web.post(`${address}/session`, { resend: '1' })).status).toBe(409);
});

// Promise: session-needs-its-ids
test('when a session needs a supplier that the portfolio lacks, the page has no button and the command ends with 2', async () => {
  const SERVICE_SESSION_FILE = await writeSessionFile({ body: { of: sessionPlace('supplier') } });
  const { limitline, cwd, env } = await openDesk(1, {}, { SERVICE_SESSION_FILE });
  const ran = await limitline('run', 'q4.csv', '--sessions');
  expect(ran.stderr).toContain('1 lacks a value for supplier: import the file again with --supplier FILE.');
  expect((await limitline('sessions', 'q4', '--line', '2')).status).toBe(2);
  const web = await openConsole({ cwd, env });
  const [found] = await web.context.rows.inState('q4', 'done', { count: 1 });
  const { text } = await web.get(`/portfolios/q4/rows/${found?.row.key}`);
  expect(text).toContain('This portfolio has no supplier: import the file again with one.');
  expect(text).not.toContain('Request a hosted session');
});

// Promise: link-never-logged
test('the log has no link, whatever the service answers', async () => {
  const { log, lines } = makeKeptLog();
  log.level = 'trace';
  const body = { error: 'https://hosted.example/s/secret' };
  const statuses = [302, 422, 500].map(
    (status) => ({ on: 'session', fault: 'status', status, body, times: 1 }) as const,
  );
  const drops: NonNullable<FaultChange['rules']>[number] = {
    on: 'session',
    fault: 'answer',
    set: { at: body.error },
    drop: ['url'],
    times: 1,
  };
  const place = await openSessionPlace(5, { faults: { rules: [...statuses, drops] } });
  await place.workers.stop();
  await place.work(undefined, {}, log);
  await place.ask();
  await expect
    .poll(async () => (await place.sessionsOf()).every(([one]) => one && !['waits', 'sent'].includes(one.state)), {
      timeout: 60_000,
    })
    .toBe(true);
  await expectStates(
    { sessionsOf: async () => [(await place.sessionsOf()).flat().filter(({ state }) => state === 'made')] },
    [['made']],
  );
  expect(JSON.stringify(lines)).not.toMatch(LINK);
});
