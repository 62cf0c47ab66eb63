import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFaultPlace } from '../support/fault-place.ts';
import { openLedger } from '../support/ledger.ts';
import type { Moment } from '../support/moments.ts';
import { buyerLines } from '../support/workplace.ts';

const ROWS = 3;

/**
 * The states that other processes reach while a process is blocked in its first call and the lock of its job expires.
 * They hold the row when the outcome is open, and finish it when the answer is in the ledger.
 */
const BLOCKS: { at: Moment; meanwhile: { held: number; done: number } }[] = [
  { at: 'claimed', meanwhile: { held: 1, done: ROWS - 1 } },
  { at: 'answered', meanwhile: { held: 1, done: ROWS - 1 } },
  { at: 'settled', meanwhile: { held: 0, done: ROWS } },
];

// Promise: holds-through-kills-and-loss
test('other workers continue the rows of a process that is blocked for longer than its locks, and all are done in the end', async () => {
  // In parallel, because most of the time passes until the locks expire.
  expect(await Promise.all(BLOCKS.map(({ at }) => blockAt(at)))).toEqual(BLOCKS);
});

test('a process with an unknown outcome takes over the id that another process made by sending the call again', async () => {
  const ledger = openLedger();
  const [sleeper, other] = [await ledger.process('sleeper'), await ledger.process('other')];
  const thing = { kind: 'document', key: 'd-1', row: { portfolio: 'q4', key: 'r-1' }, buyer: 'b' } as const;
  const made = { is: 'made', id: 'doc-1', record: {} } as const;
  const ending = await sleeper.once(thing, {
    onUnknown: 'resend',
    send: async () => {
      await sleeper.vanish();
      expect(await other.once(thing, { onUnknown: 'resend', send: async () => made })).toMatchObject({ is: 'made' });
      return { is: 'unknown', reason: 'ECONNRESET' };
    },
  });
  expect(ending).toMatchObject({ is: 'later', again: 150 });
  const again = await sleeper.once(thing, { onUnknown: 'resend', send: async () => made });
  expect(again).toMatchObject({ is: 'made', id: 'doc-1' });
});

async function blockAt(at: Moment): Promise<(typeof BLOCKS)[number]> {
  const place = await openFaultPlace({ env: { SERVICE_CONCURRENCY: '1' } });
  await place.import(buyerLines(ROWS));
  const file = join(place.dir, 'wake-up');
  const blocked = place.startFaulty({ moment: at, nth: 1, fault: 'block', file });
  await expect.poll(() => blocked.output().stdout).toContain(at);
  await place.work();
  const { held, done } = (await place.judged(ROWS)).states;

  await writeFile(file, '');
  // It sends the claimed call or writes down its answer, and the ledger accepts that: no row is left to be resolved.
  await expect.poll(async () => (await place.report()).states.done).toBe(ROWS);
  blocked.stop();
  expect(await blocked.ended()).toBeNull();
  await place.judged(ROWS);
  return { at, meanwhile: { held, done } };
}
