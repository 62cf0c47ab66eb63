import { expect, test } from 'vitest';
import { makeReports } from '../../../src/ledger/nightly/reports.ts';
import type { RedisConnection } from '../../../src/lua-script.ts';
import { foundItem, keptReport } from '../../support/found-items.ts';
import { openLedger } from '../../support/ledger.ts';

function openReports() {
  const { connection, keys } = openLedger();
  const reports = makeReports({ connection, keys });
  const keep = (...given: Parameters<typeof keptReport>) => {
    const { report, findings } = keptReport(...given);
    return reports.keep(report, findings);
  };
  return { connection, keys, reports, keep };
}

const words = (count: number) => Array.from({ length: count }, (_none, place) => `words ${place}`);

test('a stored report returns its findings and their examples in pages', async () => {
  const { reports, keep } = openReports();
  expect([await reports.read(), await reports.read('none'), await reports.list({ count: 9 })]).toEqual([
    undefined,
    undefined,
    [],
  ]);
  await keep('monday', 1_000, words(250));
  expect(await reports.read()).toMatchObject({ id: 'monday', findings: 250, items: 250 });
  const page = await reports.findings('monday', 95, 110);
  expect(page).toHaveLength(110);
  expect(page[0]).toMatchObject({
    check: 'refused',
    portfolio: 'q4',
    rows: 1,
    sum: '1000.5',
    commands: ['retry q4 --cause k3f9'],
  });
  expect(page[0]).not.toHaveProperty('examples');
  const [examples = []] = await reports.examples('monday', 95, 1);
  expect(examples).toEqual([foundItem({ says: page[0]?.finding ?? '' })]);
  expect(await reports.findings('monday', 245, 110)).toHaveLength(5);
});

// Promise: one-report-a-night
test('a report that is made again for the same night replaces the first one at once', async () => {
  const { connection, keys, reports, keep } = openReports();
  await keep('monday', 1_000, words(120));
  await keep('monday', 2_000, ['another']);
  expect(await reports.list({ count: 9 })).toMatchObject([{ id: 'monday', madeMs: 2_000, findings: 1 }]);
  expect(await reports.findings('monday', 0, 120)).toMatchObject([{ finding: 'another' }]);
  expect(await connection.hlen(keys.report('monday'))).toBe(4);
  expect(await connection.ttl(keys.report('monday'))).toBe(-1);
});

// Promise: one-report-a-night
test('a process that dies while it writes a report leaves the earlier report and an expiring draft', async () => {
  const { connection, keys, reports, keep } = openReports();
  await keep('monday', 1_000, ['first']);
  for (const steps of [0, 1, 2]) {
    const dying = makeReports({ connection: dyingAfter(steps, connection), keys });
    const { report, findings } = keptReport('monday', 2_000, words(40));
    await expect(dying.keep(report, findings)).rejects.toThrow('killed');
    expect(await reports.read()).toMatchObject({ madeMs: 1_000, findings: 1 });
  }
  const left: string[] = [];
  for await (const found of connection.scanStream({ match: `${keys.report('monday')} *`, count: 1_000 }))
    left.push(...found);
  expect(left).toHaveLength(2);
  for (const key of left) expect(await connection.ttl(key)).toBeGreaterThan(0);
});

/** A connection whose process is killed after so many transactions. */
function dyingAfter(steps: number, connection: RedisConnection): RedisConnection {
  let left = steps;
  return new Proxy(connection, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name === 'multi' && left-- === 0) throw new Error('killed');
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

// Promise: last-400-reports
test('the last 400 reports are kept, older ones without some of their examples', async () => {
  const { connection, keys, reports, keep } = openReports();
  await keep('oldest', 1, words(230));
  const ids = Array.from({ length: 397 }, (_none, place) => `night ${place}`);
  const night = async (place: number) => {
    const { report } = keptReport(ids[place] ?? '', 10 + place, []);
    await connection
      .multi()
      .hset(keys.report(report.id), 'by', report.by, 'summary', JSON.stringify(report))
      .zadd(keys.reports, report.madeMs, report.id)
      .exec();
  };
  for (let place = 0; place < 29; place += 1) await night(place);
  expect(await keep('a', 50, ['x'])).toEqual([]);
  expect(await reports.examples('oldest', 0, 230)).toContainEqual([]);
  expect(await reports.findings('oldest', 0, 230)).toHaveLength(230);
  for (let place = 29; place < 89; place += 1) await night(place);
  await keep('b', 1_000, ['x']);
  expect(await reports.findings('oldest', 0, 230)).toHaveLength(200);
  expect(await reports.read('oldest')).toMatchObject({ findings: 230 });
  for (let place = 89; place < 397; place += 1) await night(place);
  expect(await keep('c', 2_000, ['x'])).toEqual(['oldest']);
  expect([await connection.exists(keys.report('oldest')), await connection.zcard(keys.reports)]).toEqual([0, 400]);
});

test('a nightly report is compared with the night before, and a requested one with the last report', async () => {
  const { reports, keep } = openReports();
  expect(await reports.before({ id: 'x', by: 'nightly' })).toBeUndefined();
  await keep('noon', 1_000, ['a'], 'ann');
  expect(await reports.before({ id: 'x', by: 'nightly' })).toMatchObject({ id: 'noon' });
  await keep('monday', 2_000, words(150));
  await keep('tuesday noon', 3_000, [], 'ann');
  const before = await reports.before({ id: 'tuesday', by: 'nightly' });
  expect(before).toMatchObject({ id: 'monday', madeMs: 2_000 });
  expect(before?.findings).toHaveLength(150);
  expect(await reports.before({ id: 'y', by: 'ann' })).toMatchObject({ id: 'tuesday noon' });
  // A repeated run of a night is not compared with its own report.
  await keep('tuesday', 4_000, []);
  expect(await reports.before({ id: 'tuesday', by: 'nightly' })).toMatchObject({ id: 'monday' });
});

test('reports are listed newest first, from any moment on', async () => {
  const { reports, keep } = openReports();
  for (const [place, id] of ['a', 'b', 'c'].entries()) await keep(id, 1_000 + place, []);
  const ids = async (given: Parameters<typeof reports.list>[0]) => (await reports.list(given)).map(({ id }) => id);
  expect(await ids({ count: 2 })).toEqual(['c', 'b']);
  expect(await ids({ beforeMs: 1_001, count: 2 })).toEqual(['a']);
});
