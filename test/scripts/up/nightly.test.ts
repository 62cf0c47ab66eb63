import { pino } from 'pino';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { cutAuditOnce, nextNight, reconcileOnce, startNightly } from '../../../scripts/up/nightly.ts';
import { readSettings } from '../../../src/config.ts';
import { openContext } from '../../../src/context.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { freshPrefix } from '../../support/ledger.ts';
import { makeFolder } from '../../support/workplace.ts';

test('the night comes at half past two by the clock on the wall', () => {
  const at = (text: string) => new Date(text).getTime();
  expect(nextNight(at('2026-11-22T01:00:00'))).toBe(at('2026-11-22T02:30:00'));
  expect(nextNight(at('2026-11-22T02:30:00'))).toBe(at('2026-11-23T02:30:00'));
  expect(nextNight(at('2026-12-31T23:59:59'))).toBe(at('2027-01-01T02:30:00'));
});

test('of several on one Redis one makes the check, and says what it found', async () => {
  const cwd = await makeFolder();
  const env = { REDIS_URL: inject('redisUrl'), LIMITLINE_PREFIX: freshPrefix(), LIMITLINE_DATA: cwd };
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  const made = await Promise.all([1, 2, 3].map(() => reconcileOnce(log, readSettings({ env, cwd }))));
  expect(made.filter(Boolean)).toHaveLength(1);
  expect(lines).toEqual([expect.stringContaining('ledger and queues agree')]);
});

test('entries older than LIMITLINE_AUDIT_DAYS are cut off once a night, behind a checkpoint, and without it none is', async () => {
  const cwd = await makeFolder();
  const env = { REDIS_URL: inject('redisUrl'), LIMITLINE_PREFIX: freshPrefix(), LIMITLINE_DATA: cwd };
  const context = await openContext({ settings: readSettings({ env, cwd }), log: makeSilentLog() });
  onTestFinished(() => context.close());
  for (let number = 1; number <= 3; number += 1) await context.audit.note({ by: 'ann', what: 'x', from: 'here' });
  const log = makeSilentLog();
  expect(await cutAuditOnce(log, readSettings({ env, cwd }))).toBe(false);
  // Two days later.
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * 86_400_000);
  const settings = readSettings({ env: { ...env, LIMITLINE_AUDIT_DAYS: '1' }, cwd });
  const made = await Promise.all([1, 2].map(() => cutAuditOnce(log, settings)));
  expect(made.filter(Boolean)).toHaveLength(1);
  const { entries } = await context.audit.read.page({ count: 9, walk: 9 });
  expect(entries).toMatchObject([{ number: 4, by: 'nightly', what: 'audit trail cut', facts: { upTo: 3, count: 3 } }]);
  expect(await context.audit.verify()).toMatchObject({ first: 4, broken: undefined });
});

test('who waits for the night can be stopped', async () => {
  await startNightly({ log: makeSilentLog() }).stop();
});
