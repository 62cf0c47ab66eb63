import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openContextOf, openDesk } from '../../support/desk.ts';
import { SECRET } from '../../support/event-listener.ts';
import { decisionEvent, eventOf, letPass, MAPPING, writeMapping } from '../../support/events.ts';
import { freePort } from '../../support/redis/free-port.ts';
import { importUnderReview, later } from '../../support/under-review.ts';

/** A desk with one row under review and a mapping of events. */
async function openReview(settings: Record<string, string> = {}, file?: string) {
  const desk = await openDesk(1, {}, settings);
  if (file !== undefined) await writeFile(join(desk.cwd, 'q4.csv'), file);
  const { rows } = await importUnderReview(desk);
  const [found] = await rows.inState('q4', 'done', { count: 1 });
  const id = (found && (await rows.read([found.row]))[0]?.limitId) ?? '';
  Object.assign(desk.env, { EVENTS_MAPPING: writeMapping(desk.cwd) });
  const write = (name: string, text: string) => writeFile(join(desk.cwd, name), text);
  const statuses = async () => (await desk.json('report', 'q4')).statuses;
  return { ...desk, id, write, statuses };
}

// Promise: trying-changes-nothing
test('events try prints what the mapping finds in each event and what would become of it, and changes nothing', async () => {
  const { id, write, limitline, statuses } = await openReview();
  const at = later(1);
  await write('one.json', JSON.stringify(JSON.parse(decisionEvent(id, 'approved', { at, total: 2_000 })), null, 2));
  expect(await limitline('events', 'try', 'one.json')).toMatchObject({
    status: 0,
    stdout:
      `line 1: kind buyer_limit.updated, buyer_limit_id ${id}, status approved, total_limit 2000, available_limit 2000, decided_at ${at}: would be taken. The limit ${id} is 2,000.00, more than the 1,001.50 that was asked for.\n1 event: 1 would be taken. Nothing was changed.\n`
        .replace('line 1: kind buyer_limit.updated, ', 'line 1: ')
        .replace(': would be', ', kind buyer_limit.updated: would be'),
  });
  const lines = [
    decisionEvent('bl_of_nobody', 'approved'),
    decisionEvent(id, 'in\u001b[31m_progress'),
    decisionEvent(id, 'rejected', { type: 'other' }),
    '',
    'no JSON',
    '{"type":"buyer_limit.updated","data":[]}',
  ];
  await write('some.ndjson', `${lines.join('\n')}\n`);
  const tried = await limitline('events', 'try', 'some.ndjson');
  expect(tried.status).toBe(2);
  expect(tried.stdout).toMatch(/^line 1: .*bl_of_nobody.*: of a limit that is not known here$/m);
  expect(tried.stdout).toMatch(/^line 2: .*status in␛\[31m_progress.*: not readable by .* has a control character\.$/m);
  expect(tried.stdout).toMatch(/^line 3: kind other: of a kind that does not count$/m);
  expect(tried.stdout).toMatch(
    /^line 5: nothing found: not readable by the mapping that is set\. The event is no JSON\.$/m,
  );
  expect(tried.stdout).toMatch(
    /^line 6: kind buyer_limit.updated: not readable .* nothing at \/data\/id\. .* nothing at \/created\.$/m,
  );
  expect(tried.stdout).toMatch(/^5 events: .*3 not readable by the mapping that is set\. Nothing was changed\.$/m);
  const { events, became } = JSON.parse((await limitline('events', 'try', 'some.ndjson', '--json')).stdout);
  expect(became).toEqual({ unknown: 1, 'other kind': 1, unreadable: 3 });
  expect(events[0]).toMatchObject({ line: 1, decisions: [{ became: 'unknown', found: { status: 'approved' } }] });
  expect(events[3]).toMatchObject({ line: 5, decisions: [{ became: 'unreadable', why: 'The event is no JSON.' }] });
  expect(await statuses()).toEqual({ in_progress: 1 });
});

// Promise: event-of-another-currency-not-taken
test('an event with an amount in another currency is not applied, and each command gives the reason', async () => {
  const euros = 'name,country_code,company_registration_number,requested_limit\nAlba GmbH,DE,HRB 1,1000.50 EUR\n';
  const { id, write, limitline, statuses, env, cwd } = await openReview({}, euros);
  const context = await openContextOf({ cwd, env });
  const body = decisionEvent(id, 'approved', { at: later(1), total: 'USD 1000.50' });
  await write('dollars.json', body);
  const why = "An amount is in USD, and the row's request is in EUR: write it in EUR.";
  expect(await limitline('events', 'try', 'dollars.json')).toMatchObject({
    status: 2,
    stdout: expect.stringContaining(`: of an amount in another currency than its request. ${why}`),
  });
  await context.events.keep(eventOf(body));
  expect(await limitline('events', 'take')).toMatchObject({
    status: 2,
    stdout: expect.stringMatching(new RegExp(`^event \\S+: ${why}\n1 event read: 1 of an amount in another currency`)),
  });
  expect((await limitline('events')).stdout.replace(/\n */g, ' ')).toContain(why);
  expect((await limitline('reconcile')).stdout.replace(/\s+/g, ' ')).toContain(
    'in another currency than their requests',
  );
  expect(await statuses()).toEqual({ in_progress: 1 });
  await context.events.keep(eventOf(body.replaceAll('USD', 'EUR')));
  expect((await limitline('events', 'take')).stdout).toContain('1 taken');
  expect(await statuses()).toEqual({ approved: 1 });
});

// Promises: mistyped-status-not-taken, trying-changes-nothing
test('an event with a possibly mistyped status is not applied until somebody gives the status a meaning', async () => {
  const { id, write, limitline, statuses, env, cwd } = await openReview();
  const context = await openContextOf({ cwd, env });
  const body = decisionEvent(id, 'aproved', { at: later(1) });
  const asked =
    'No row had "aproved" before. Did you mean "approved"? If it is right, say first what it means, and take it in again: npx limitline statuses "aproved" --means approved|review|declined';
  await write('typo.json', body);
  const tried = await limitline('events', 'try', 'typo.json');
  expect([tried.status, tried.stdout]).toEqual([
    2,
    expect.stringContaining(
      `: of a status that may be mistyped. ${asked}\n1 event: 1 of a status that may be mistyped.`,
    ),
  ]);
  await context.events.keep(eventOf(body));
  for (const _ of ['first', 'again']) {
    const { status, stdout } = await limitline('events', 'take');
    expect([status, stdout]).toEqual([
      2,
      expect.stringMatching(/^event \S+: No row had .*\n1 event read: 1 of a status that may be mistyped\.\n$/),
    ]);
    expect(stdout).toContain(asked);
  }
  const listed = (await limitline('events')).stdout.replace(/\n */g, ' ');
  expect(listed).toContain(`decisions: 1 of a status that may be mistyped ${asked}`);
  expect((await limitline('reconcile')).stdout.replace(/\s+/g, ' ')).toContain(
    'have statuses that may be mistyped, and were not taken',
  );
  expect(await statuses()).toEqual({ in_progress: 1 });
  await limitline('statuses', 'aproved', '--means', 'approved');
  expect(await limitline('events', 'take')).toMatchObject({ status: 0, stdout: '1 event read: 1 taken.\n' });
  expect(await statuses()).toEqual({ aproved: 1 });
});

// Promise: status-case-means-nothing
test('a status of an event that looks like a known one is taken as that one, as in a file', async () => {
  const { id, write, limitline, statuses, env, cwd } = await openReview();
  const context = await openContextOf({ cwd, env });
  await limitline('statuses', 'gepr\u00fcft', '--means', 'approved');
  const body = decisionEvent(id, 'Gepru\u0308ft', { at: later(1) });
  await write('one.json', body);
  expect(await limitline('events', 'try', 'one.json')).toMatchObject({ status: 0 });
  await context.events.keep(eventOf(body));
  expect(await limitline('events', 'take')).toMatchObject({ status: 0, stdout: '1 event read: 1 taken.\n' });
  expect(await statuses()).toEqual({ gepr\u00fcft: 1 });
});

test('events try reads the output of events export, also with U+2028 and U+2029 within a text', async () => {
  const { env, id, limitline, cwd } = await openReview();
  const { events } = await openContextOf({ env, cwd });
  const noted = { ...JSON.parse(decisionEvent(id, 'approved', { at: later(1) })), note: 'one\u2028two\u2029three' };
  await events.keep(eventOf(JSON.stringify(noted)));
  await events.keep(eventOf(decisionEvent(id, 'rejected', { at: later(2) })));
  await limitline('events', 'export', '--out', 'events.ndjson');
  const tried = await limitline('events', 'try', 'events.ndjson');
  expect(tried).toMatchObject({ status: 0, stdout: expect.stringContaining('2 events: 2 would be taken.') });
});

// Promise: trying-changes-nothing
test('exported events can be tried, events take is audited, and an older decision is reported as older', async () => {
  const { id, limitline, env, cwd, statuses } = await openReview();
  const context = await openContextOf({ cwd, env });
  await context.events.keep(eventOf(decisionEvent(id, 'approved', { at: later(1) })));
  await context.events.keep(eventOf(Buffer.from([0xff, 0xfe])));
  await limitline('events', 'export', '--out', 'events.ndjson');
  const tried = await limitline('events', 'try', 'events.ndjson');
  expect(tried).toMatchObject({
    status: 2,
    stdout: expect.stringContaining('2 events: 1 would be taken, 1 not readable'),
  });
  expect(await statuses()).toEqual({ in_progress: 1 });
  expect(await limitline('events', 'take')).toMatchObject({
    status: 2,
    stdout: expect.stringMatching(
      /^event \S+: The event is no JSON\.\n2 events read: 1 taken, 1 not readable by the mapping that is set\.\n$/,
    ),
  });
  expect(await statuses()).toEqual({ approved: 1 });
  expect((await limitline('events', 'take', '--since', '2999-01-01')).stdout).toBe('0 events read: no decisions.\n');
  await context.events.keep(eventOf(decisionEvent(id, 'rejected', { at: later(-1) })));
  expect((await limitline('events', 'take')).stdout).toContain(
    '3 events read: 1 known already, 1 older than what is known',
  );
  const listed = (await limitline('events')).stdout;
  expect(listed).toMatch(/^ {4}decisions: 1 older than what is known$/m);
  expect(listed).toContain('The event is no JSON.');
  expect(JSON.parse((await limitline('events', '--json')).stdout).events[0].became).toEqual({ older: 1 });
  const audited = (await limitline('audit', 'list', '--what', 'decisions taken in', '--json')).stdout;
  expect(audited).toMatch(/"same": 1/);
});

test('without an event or a valid mapping, events try and take fail with the reason', async () => {
  const { limitline, env, cwd, write } = await openReview();
  await write('one.json', '{}');
  expect((await limitline('events', 'try', 'none.json')).stderr).toMatch(
    /none\.json cannot be read: there is no such file/,
  );
  await write('empty.json', '\n');
  const empty = await limitline('events', 'try', 'empty.json');
  expect([empty.status, empty.stderr]).toEqual([1, expect.stringContaining('empty.json has no event: it is empty.')]);
  writeMapping(cwd, { ...MAPPING, status: 'x' });
  for (const args of [['try', 'one.json'], ['take']]) {
    expect(await limitline('events', ...args)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no JSON pointer'),
    });
  }
  Object.assign(env, { EVENTS_MAPPING: '' });
  for (const args of [['try', 'one.json'], ['take']]) {
    expect(await limitline('events', ...args)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('EVENTS_MAPPING is not set'),
    });
  }
});

// Promise: acknowledged-event-is-taken
test('a listener that is killed right after its answer loses no decision', async () => {
  const port = String(await freePort());
  const { id, cwd, env, statuses, start } = await openReview({ EVENTS_PORT: port, EVENTS_SECRET: SECRET });
  Object.assign(env, { LOG_LEVEL: 'info' });
  const listen = async () => {
    const listener = start('events', 'listen');
    await expect.poll(() => listener.output().stderr, { timeout: 20_000 }).toContain('events are listened for');
    return listener;
  };
  const first = await listen();
  const body = decisionEvent(id, 'approved', { at: later(1) });
  const url = `http://127.0.0.1:${port}/events/${SECRET}`;
  expect((await fetch(url, { method: 'POST', body })).status).toBe(200);
  first.child.kill('SIGKILL');
  await first.ended;
  // Events that the first listener may have begun to read are handed out again after a minute.
  const { ledger: connection, keys } = await openContextOf({ cwd, env });
  await letPass({ connection, keys }, 60_000);
  const second = await listen();
  await expect.poll(statuses, { timeout: 20_000 }).toEqual({ approved: 1 });
  second.child.kill('SIGTERM');
  expect((await second.ended).status).toBe(0);
});
