import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { RetryRule } from '../../../src/ledger/nightly/retry-rule.ts';
import { makeRetryRules } from '../../../src/ledger/nightly/retry-rules.ts';
import { ONE_NIGHT_MS } from '../../../src/ledger/schema/row.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';

const ROW = { portfolio: 'q4', key: 'row-1' };

/** A ledger whose only row is refused, and the retry rules of its account. */
async function openRules(asksApproval = false) {
  const ledger = openLedger({ asksApproval });
  const { connection, keys, rows } = ledger;
  const rules = makeRetryRules({ connection, keys });
  const put = (name: string) => rows.put(ROW, 2, '1', makeRequest({ name }));
  const refuse = async () => {
    await rows.begin(ROW, 'company');
    await rows.advance(ROW, 'company', 'refused', { problem: { step: 'company', message: 'no', status: 422 } });
  };
  await put('Muster GmbH');
  await refuse();
  return { ...ledger, rules, put, refuse };
}

test('rules of the same moment are listed in the order in which they were added', async () => {
  const { rules, connection } = await openRules();
  vi.spyOn(connection, 'time').mockResolvedValue([1_800_000_000, 0]);
  const made: RetryRule[] = [];
  for (let status = 400; status < 410; status += 1) made.push(await rules.add({ status, nights: 1, by: 'olivia' }));
  expect((await rules.known()).map(({ rule }) => rule)).toEqual(made);
});

test('a rule is dated by the clock of Redis, by which portfolios are restored', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  const { rules, connection } = await openRules();
  const { madeMs } = await rules.add({ status: 422, nights: 1, by: 'olivia' });
  const [seconds] = await connection.time();
  expect(Math.abs(madeMs - Number(seconds) * 1_000)).toBeLessThan(60_000);
});

test('a rule is kept until it is removed, and an equal rule is refused', async () => {
  const { rules } = await openRules();
  const made = await rules.add({ status: 422, words: 'closed', nights: 3, by: 'olivia' });
  const other = await rules.add({ status: 422, words: 'closed', portfolio: 'q4', nights: 3, by: 'olivia' });
  expect(made.id).toMatch(/^[a-z2-9]{5}$/);
  const same = rules.add({ status: 422, words: 'CLOSED', nights: 9, by: 'ann' });
  await expect(same).rejects.toThrow(`Rule ${made.id} means the same rows, for 3 nights at most: remove it first.`);
  await rules.noteAsks('q4', 'approval-1');
  expect((await rules.known()).map(({ rule }) => rule)).toEqual([made, other]);
  expect(await rules.asks()).toEqual([{ portfolio: 'q4', id: 'approval-1' }]);
  expect(await rules.remove(made.id)).toEqual(made);
  expect(await rules.remove(made.id)).toBeUndefined();
  expect(await rules.remove('asks q4')).toBeUndefined();
  await rules.noteUsedUp(made.id, { atMs: 1, usedUp: 1 });
  expect(await rules.known()).toEqual([{ rule: other, last: undefined }]);
});

test('at most 100 rules are accepted', async () => {
  const { rules, connection, keys } = await openRules();
  const texts = Array.from({ length: 100 }, (_none, at) => [`r${at}`, JSON.stringify({ id: `r${at}`, step: 'x' })]);
  await connection.hset(keys.retryRules, ...texts.flat());
  await expect(rules.add({ status: 422, nights: 3, by: 'olivia' })).rejects.toThrow('There are 100 rules already');
});

/** What may happen to a row between nights; `by` is the rule's place, `hours` the time since the night before. */
type Step =
  | { is: 'night'; by: number; hours: number; waits: boolean; twice: boolean }
  | {
      is:
        | 'other words'
        | 'same words'
        | 'by a person'
        | 'paused'
        | 'resumed'
        | 'given up'
        | 'rule removed'
        | 'restored'
        | 'named';
    };

const STEPS = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        is: fc.constant('night' as const),
        by: fc.nat(1),
        hours: fc.constantFrom(-24, 0, 6, 11, 12, 24),
        waits: fc.boolean(),
        twice: fc.boolean(),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom<Step>(
        { is: 'other words' },
        { is: 'same words' },
        { is: 'by a person' },
        { is: 'paused' },
        { is: 'resumed' },
        { is: 'given up' },
        { is: 'restored' },
        { is: 'named' },
      ),
    },
    { weight: 1, arbitrary: fc.constant<Step>({ is: 'rule removed' }) },
  ),
  { maxLength: 25, size: 'max' },
);

/** How many nights each of the two rules allows. */
const NIGHTS = [2, 3] as const;

// Promise: once-a-night-by-rule
test('a rule sends a row at most once a night and for as many nights as it allows, and counts each time once', async () => {
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      const { connection, keys, rules, rows, approvals, portfolios, put, refuse } = await openRules();
      const made = [
        await rules.add({ status: 422, nights: NIGHTS[0], by: 'olivia' }),
        await rules.add({ step: 'company', nights: NIGHTS[1], by: 'ann' }),
      ];
      let [nights, lastMs, nowMs, name] = [0, Number.NEGATIVE_INFINITY, Date.parse('2026-11-22T03:00:00Z'), 'Muster 0'];
      const is = { paused: false, givenUp: false, removed: false, restoredMs: 0, namedMs: 0 };
      await put(name);
      await refuse();
      for (const step of steps) {
        if (step.is === 'night') {
          nowMs += step.hours * 3_600_000;
          const [rule, of = 0] = [made[step.by], NIGHTS[step.by]];
          const may = !is.paused && !is.givenUp && !(is.removed && step.by === 0);
          const isMeant = Math.max(await updatedMs(), is.namedMs) > is.restoredMs;
          const goes = may && isMeant && nights < of && Math.abs(nowMs - lastMs) >= ONE_NIGHT_MS;
          const night = { rule: rule?.id ?? '', nightMs: nowMs, night: nights + 1, of, namedMs: is.namedMs };
          const id = step.waits ? await approvals.askFor({ portfolio: 'q4', kind: 'retry', by: 'olivia' }) : '';
          const go = () =>
            step.waits
              ? approvals.awaitRow(ROW, 'refused', { id, by: 'olivia', night })
              : rows.requeue(ROW, 'refused', true, { by: 'olivia', night });
          const before = (await rules.known()).find((one) => one.rule.id === rule?.id)?.last;
          expect(await go(), JSON.stringify(step)).toBe(goes);
          // The command is repeated as after a lost reply: a waiting row answers yes again, a sent row has moved
          // already.
          if (step.twice) expect(await go()).toBe(goes && step.waits);
          if (!goes) continue;
          [nights, lastMs] = [nights + 1, nowMs];
          const last = (await rules.known()).find((one) => one.rule.id === rule?.id)?.last;
          const same = before?.atMs === nowMs ? before : { sent: 0, waiting: 0 };
          const counted = { sent: same.sent + (step.waits ? 0 : 1), waiting: same.waiting + (step.waits ? 1 : 0) };
          expect(last).toMatchObject({ atMs: nowMs, ...counted });
          if (step.waits) await free(id);
          await refuse();
        } else if (step.is === 'other words' || step.is === 'same words') {
          if (step.is === 'other words') [nights, lastMs, name] = [0, Number.NEGATIVE_INFINITY, `${name}x`];
          is.givenUp = false;
          await put(name);
          await letGo();
        } else if (step.is === 'by a person') {
          is.givenUp = false;
          await rows.requeue(ROW, 'refused', true, { by: 'ida' });
          await letGo();
        } else if (step.is === 'paused' || step.is === 'resumed') {
          is.paused = step.is === 'paused';
          await (is.paused ? portfolios.pause('q4', 'somebody') : portfolios.resume('q4'));
        } else if (step.is === 'given up') {
          is.givenUp = true;
          await portfolios.cancel('q4', 'ida');
        } else if (step.is === 'restored') {
          is.restoredMs = Math.max(await updatedMs(), is.namedMs);
          await connection.zadd(keys.restored, is.restoredMs, 'q4');
        } else if (step.is === 'named') {
          is.namedMs = is.restoredMs + 1;
        } else {
          is.removed = true;
          await rules.remove(made[0]?.id ?? '');
        }
        const [row] = await rows.read([ROW]);
        expect([row?.state, row?.atNight?.nights ?? 0]).toEqual(['refused', nights]);
      }

      /** A paused portfolio begins none of its rows, so it is resumed for a moment. */
      async function letGo() {
        if (is.paused) await portfolios.resume('q4');
        await refuse();
        if (is.paused) await portfolios.pause('q4', 'somebody');
      }

      async function updatedMs() {
        return (await rows.read([ROW]))[0]?.updatedMs ?? 0;
      }

      async function free(id: string) {
        await approvals.close({ portfolio: 'q4', id }, { always: false, above: undefined });
        await approvals.freeSome({ portfolio: 'q4', id }, [ROW]);
      }
    }),
    { numRuns: 40 },
  );
});
