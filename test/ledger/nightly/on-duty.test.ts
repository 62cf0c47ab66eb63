import { hostname } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { OFF_DUTY_AFTER_MS, startDuty, whoIsOnDuty } from '../../../src/ledger/nightly/on-duty.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { openLedger } from '../../support/ledger.ts';

test('who gave a sign lately is on duty, and nobody else: not who is gone, and none by a clock that went back', async () => {
  const { connection, keys } = openLedger();
  expect(await whoIsOnDuty({ connection, keys })).toEqual([]);
  const start = async (processId: string) => {
    const duty = await startDuty({ connection, keys, processId, log: makeSilentLog() });
    onTestFinished(() => duty.stop());
    return duty;
  };
  await connection.zadd(
    keys.onDuty,
    Date.now() - OFF_DUTY_AFTER_MS - 1_000,
    'gone@h',
    Date.now() + 3_600_000,
    'ahead@h',
  );
  expect(await whoIsOnDuty({ connection, keys })).toEqual([]);
  const one = await start('p1');
  await start('p2');
  const found = await whoIsOnDuty({ connection, keys });
  expect(found.map(({ process, host }) => [process, host]).sort()).toEqual([
    ['p1', hostname()],
    ['p2', hostname()],
  ]);
  expect(found.every(({ agoMs }) => agoMs >= 0 && agoMs < OFF_DUTY_AFTER_MS)).toBe(true);
  expect(await connection.zscore(keys.onDuty, 'ahead@h')).toBeNull();
  await one.stop();
  expect((await whoIsOnDuty({ connection, keys })).map(({ process }) => process)).toEqual(['p2']);
});
