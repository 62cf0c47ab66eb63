import { describe, expect, test } from 'vitest';
import { readSettings } from '../../../src/config.ts';
import { answered, makeWatcher, ROOM, settle } from '../../support/watcher.ts';
import { openWorkplace } from '../../support/workplace.ts';

describe('settings of notices', () => {
  /**
   * The kinds of notices under these settings for a portfolio that settles with 15 of 100 rows refused, on a half-full
   * Redis.
   */
  async function kindsUnder(env: Record<string, string>) {
    const place = await openWorkplace({ env });
    const watcher = makeWatcher(place.context, { readServers: async () => [{ used_memory: '60', maxmemory: '100' }] });
    await watcher.look();
    await answered(place, 'q4', { done: 85, refused: 15 });
    await settle(place, 'q4');
    await watcher.look();
    const listed = await place.context.outbox.lately();
    return listed
      .filter(({ notice }) => notice.kind !== 'disk')
      .map(({ notice, deliveries }) => `${notice.kind} ${deliveries.length}`)
      .sort();
  }

  // Promise: only-wanted-kinds-sent
  test.each([
    [{}, ['failures 0', 'settled 0']],
    [{ NOTIFY_FAILURES_ABOVE: '15' }, ['settled 0']],
    [{ NOTIFY_FULL_ABOVE: '59' }, ['failures 0', 'redis 0', 'settled 0']],
    [{ NOTIFY_WEBHOOK_URL: 'http://127.0.0.1:9/hook' }, ['failures 1', 'settled 1']],
    [{ NOTIFY_WEBHOOK_URL: 'http://127.0.0.1:9/hook', NOTIFY_ABOUT: 'settled, away' }, ['failures 0', 'settled 1']],
  ])('select the kinds of notices: %j', async (env, kinds) => {
    expect(await kindsUnder(env)).toEqual(kinds);
  });

  test.each([
    ['10', 5, 11],
    ['1', 0.5, 1.5],
  ])(
    'set the time after which the service counts as away: NOTIFY_AWAY_AFTER_MIN=%s',
    async (minutes, before, after) => {
      const place = await openWorkplace({ env: { NOTIFY_AWAY_AFTER_MIN: minutes, NOTIFY_FULL_ABOVE: '100' } });
      const watcher = makeWatcher(place.context, ROOM);
      const { ledger, keys } = place.context;
      const [seconds] = await ledger.time();
      await ledger.hset(keys.pace, {
        rate: 1,
        because: 'outage',
        until: (Number(seconds) + 60) * 1e6,
        accepted: 5,
        strikes: 1,
      });
      await watcher.lookWhile('blocked', 0);
      for (let passed = 0; passed < before; passed += 20)
        await watcher.lookWhile('blocked', Math.min(20, before - passed));
      expect(await watcher.told()).toEqual([]);
      await watcher.lookWhile('blocked', after - before);
      expect((await watcher.told()).map(({ kind }) => kind)).toEqual(['away']);
    },
  );

  test.each([
    [
      'NOTIFY_FAILURES_ABOVE',
      '101',
      /NOTIFY_FAILURES_ABOVE is "101", but must be a whole number from 0 to 100 \(percent\)/,
    ],
    [
      'NOTIFY_AWAY_AFTER_MIN',
      '0',
      /NOTIFY_AWAY_AFTER_MIN is "0", but must be a whole number from 1 to 10080 \(minutes\)/,
    ],
    ['NOTIFY_FULL_ABOVE', '0', /NOTIFY_FULL_ABOVE is "0", but must be a whole number from 1 to 100 \(percent\)/],
    [
      'NOTIFY_ABOUT',
      'settled, hunger',
      /NOTIFY_ABOUT is "settled, hunger", but must be some of awaiting, settled, decided, paused/,
    ],
  ])('are refused with the allowed values: %s=%s', (name, value, words) => {
    expect(() => readSettings({ env: { LIMITLINE_DATA: '/nowhere', [name]: value } })).toThrow(words);
  });
});
