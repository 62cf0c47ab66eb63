import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFaultPlace } from '../support/fault-place.ts';
import { openLedger } from '../support/ledger.ts';
import type { Moment } from '../support/moments.ts';
import { buyerLines } from '../support/workplace.ts';

const ROWS = 3;

/**
 * What the others do while a process is blocked at a moment of its first call and its job's lock runs out: with the
 * outcome open they hold the row, and with the answer in the ledger they bring it to its end.
 */
const BLOCKS: { at: Moment; meanwhile: { held: number; done: number } }[] = [
  { at: 'claimed', meanwhile: { held: 1, done: ROWS - 1 } },
  { at: 'answered', meanwhile: { held: 1, done: ROWS - 1 } },
  { at: 'settled', meanwhile: { held: 0, done: ROWS } },
];

// Promise: holds-through-kills-and-loss
test('a process blocked for longer than its locks shares its job with another, and all ends well when it wakes', async () => {
  // Side by side, since most of the time goes into waiting until the locks run out.
  expect(await Promise.all(BLOCKS.map(({ at }) => blockAt(at)))).toEqual(BLOCKS);
});

test('a process whose call another has sent again meanwhile takes what that one made for an answer', async () => {
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
  // It sends what it had claimed, or writes down what it had heard, and is believed: nothing is left to be resolved.
  await expect.poll(async () => (await place.report()).states.done).toBe(ROWS);
  blocked.stop();
  expect(await blocked.ended()).toBeNull();
  await place.judged(ROWS);
  return { at, meanwhile: { held, done } };
}
