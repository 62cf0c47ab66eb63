import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventsList } from '../../../scripts/events/events-list.ts';
import { callCommand } from '../../support/command.ts';
import { openContextOf } from '../../support/desk.ts';
import { allEvents, eventOf, makeOlder } from '../../support/events.ts';
import { makeRequest, ownRedis } from '../../support/ledger.ts';
import { makeFolder } from '../../support/workplace.ts';

async function openPlace(settings: Record<string, string> = {}) {
  const cwd = await makeFolder();
  const env = { ...ownRedis(), ...settings };
  const context = await openContextOf({ cwd, env });
  return { cwd, context, limitline: (...args: string[]) => callCommand(args, { cwd, env }) };
}

test('events lists events with their rows, the latest first, and --portfolio limits the list to one portfolio', async () => {
  const { context, limitline } = await openPlace();
  const { rows, events } = context;
  const row = { portfolio: 'q4', key: 'AAAAAAAAAAAAAAAA' };
  await context.ledger.zadd(context.keys.portfolios, 1, 'q4');
  await context.ledger.hset(context.keys.portfolio('q4'), 'started', 1);
  await rows.put(row, 7, '1', makeRequest({ name: 'Muster\u001b[31m GmbH' }));
  await rows.begin(row, 'limit');
  await rows.advance(row, 'limit', 'done', { limit: 'bl_1' });
  await events.keep(eventOf('{"id":"bl_1"}'));
  await events.keep(eventOf('{"id":"bl_1"}'));
  await events.keep(eventOf('{"id":"bl_2"}'));
  const { status, stdout } = await limitline('events');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^2 events kept, [\d.]+ kB of 256 MB, each for 90 days\.$/m);
  expect(stdout).toMatch(/^ {4}bl_1: the limit of q4 line 7, Muster␛\[31m GmbH$/m);
  expect(stdout).toMatch(/13 bytes, 2 times, the last /);
  expect(stdout.match(/^ {4}event [\w-]{22}$/gm)).toHaveLength(2);
  expect(stdout).toMatch(/^ {4}names nothing known here: bl_2$/m);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);

  const { events: named, ...facts } = JSON.parse((await limitline('events', '--portfolio', 'q4', '--json')).stdout);
  expect(facts).toMatchObject({ kept: 2, not_taken: 0, more: false, archived: 0 });
  expect(named).toEqual([
    expect.objectContaining({
      times: 2,
      size_bytes: 13,
      ids: ['bl_1'],
      rows: [{ portfolio: 'q4', row: row.key, line: 7, id: 'bl_1', of: 'limit' }],
    }),
  ]);
  expect(await limitline('events', '--portfolio', 'q9')).toMatchObject({ status: 1 });
  expect((await limitline('events', '--last', '1')).stdout).toContain('There are older ones');
  expect(JSON.parse((await limitline('events', '--since', '2999-01-01', '--json')).stdout).events).toEqual([]);
});

// Promise: export-for-owner-alone
test('events export writes each event unchanged into a file for its owner only, and is audited', async () => {
  const { cwd, context, limitline } = await openPlace();
  const contents = ['{"id":"bl_1"}\n', 'ünï\u2028bl_2\0', '', Buffer.from([0xff, 0xfe, 0xd8, 0])];
  for (const content of contents) await context.events.keep(eventOf(content, { 'x-a': '1' }));
  const out = join(cwd, 'events.ndjson');
  // A file that others may read becomes private.
  await writeFile(out, '');
  await chmod(out, 0o644);
  expect(await limitline('events', 'export', '--out', 'events.ndjson', '--since', '12h')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('4 events written to events.ndjson.'),
  });
  expect((await stat(out)).mode & 0o777).toBe(0o600);
  const lines = (await readFile(out, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const bodies = lines.map(({ encoding, body }) => Buffer.from(body, encoding).toString('hex')).sort();
  expect(bodies).toEqual(contents.map((content) => Buffer.from(content as string).toString('hex')).sort());
  expect(lines.map(({ headers }) => headers)).toEqual(contents.map(() => ({ 'x-a': '1' })));
  const { entries } = await context.audit.read.page({ count: 9, filter: {}, walk: Number.POSITIVE_INFINITY });
  expect(entries.map(({ what, facts }) => [what, facts])).toContainEqual([
    'events exported',
    { events: 4, since: expect.stringMatching(/^\d{4}-.*Z$/) },
  ]);
  const bare = await limitline('events', 'export', '--no-rows');
  expect(JSON.parse(bare.stdout.split('\n')[0] ?? '')).not.toHaveProperty('rows');
  const later = await limitline('events', 'export', '--since', '2999-01-01');
  expect(later).toMatchObject({ status: 0, stdout: '' });
  expect((await limitline('events', 'export', '--out', 'none/events.ndjson')).stderr).toContain('no folder');
});

test.each([
  [['export', '--portfolio', 'q4'], '--portfolio is for limitline events alone'],
  [['--last', '3', 'export'], '--last is for limitline events alone'],
  [['listen', '--since', '1h'], '--since is for limitline events alone'],
])('events %j refuses an option of the list', async (args, words) => {
  const cwd = await makeFolder();
  const env = ownRedis();
  expect(await callCommand(['events', ...args], { cwd, env })).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining(words),
  });
  expect(
    (await callCommand(['events', args.find((arg) => /^[el]/.test(arg)) ?? '', '--help'], { cwd, env })).stdout,
  ).not.toContain('--portfolio');
});

test.each(['2026-02-30', '2026-13-01', '7d', 'yesterday', ''])('events refuses --since %j', async (since) => {
  const { limitline } = await openPlace();
  const { status, stderr } = await limitline('events', '--since', since);
  expect(status).toBe(1);
  expect(stderr).toContain("option '--since <time>'");
});

test('the list reports that no event arrived, that events were rejected, and that portfolios are archived', () => {
  const list = { events: [], more: false, mostBytes: 1_048_576, keepMs: 86_400_000, archived: 1, unlooked: 0 };
  const totals = { events: 0, bytes: 0, full: 2, fullMs: Date.parse('2026-11-22T10:00:00Z') };
  const words = eventsList({ ...list, totals });
  expect(words).toContain('NOT TAKEN: 2 events so far, the last at 2026-11-22 10:00:00 UTC');
  expect(words).toContain('No event is here: events come where EVENTS_PORT is set');
  totals.events = 1;
  expect(eventsList({ ...list, totals })).toContain('No event fits these options.');
  expect(eventsList({ ...list, totals }, { portfolio: 'q4' })).toContain('No event names a row of q4.');
  const event = {
    id: 'x',
    firstMs: 0,
    lastMs: 0,
    times: 1,
    sizeBytes: 1,
    ids: [],
    moreIds: 0,
    rows: [],
    moreRows: false,
  };
  expect(eventsList({ ...list, totals, events: [event] })).toContain('1 portfolio is archived or forgotten');
});

test('events older than EVENTS_KEEP_DAYS or above EVENTS_KEEP_MB are deleted, and the nightly check reports the rest', async () => {
  const { context, limitline } = await openPlace({ EVENTS_KEEP_MB: '1', EVENTS_KEEP_DAYS: '2' });
  const { events } = context;
  await events.keep(eventOf('a limit bl_1'));
  const [first] = await allEvents(events);
  await makeOlder({ connection: context.ledger, keys: context.keys }, first?.id ?? '', 3 * 86_400_000);
  // Each new event deletes a few old ones.
  expect(await events.keep(eventOf('a limit bl_2'.padEnd(1_100_000)))).toBe('full');
  expect(await events.totals()).toMatchObject({ events: 0 });
  await events.keep(eventOf('a limit bl_3'));
  await events.keep(eventOf('a limit bl_4'));
  const found = (await allEvents(events)).find(({ ids }) => ids.includes('bl_3'));
  await makeOlder({ connection: context.ledger, keys: context.keys }, found?.id ?? '', 3 * 86_400_000);
  const { status, stdout } = await limitline('reconcile');
  expect(status).toBe(2);
  expect(stdout.replace(/\s+/g, ' ')).toContain('events of the service that name nothing known here');
  expect(stdout).toContain('EVENTS_KEEP_MB');
  expect((await allEvents(events)).map(({ ids }) => ids)).toEqual([['bl_4']]);
  expect((await limitline('events')).stdout).toMatch(
    /^1 event kept, .* of 1 MB, each for 2 days\.\nNOT TAKEN: 1 event /,
  );
});
