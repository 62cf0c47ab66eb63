import { Big } from 'big.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sumIn } from '../../../src/ledger/counts/sums.ts';
import type { Step } from '../../../src/ledger/schema/row.ts';
import { openApprovals } from '../../support/awaiting-ledger.ts';

const POLICY = { always: false, above: undefined, personAbove: '1000000', windowDays: 7 };
const PEOPLE = ['ann', 'ben'];
const ROWS = ['r1', 'r2', 'r3'];

const row = fc.constantFrom(...ROWS);
const ops = fc.array(
  fc.oneof(
    fc.record({
      is: fc.constant('import'),
      key: row,
      other: row,
      amount: fc.integer({ min: 1, max: 9 }),
      by: fc.constantFrom(...PEOPLE),
      asks: fc.boolean(),
    }),
    fc.record({
      is: fc.constantFrom(
        'refuse',
        'hold',
        'requeue',
        'requeue held',
        'cancel',
        'ask',
        'ask held',
        'free',
        'answer',
        'decline',
      ),
      key: row,
    }),
  ),
  { minLength: 1, maxLength: 25 },
);

/** What counts for each person, computed row by row. */
async function byRows({ connection, keys, approvals }: ReturnType<typeof openApprovals>) {
  const sums = new Map(PEOPLE.map((name) => [name, new Big(0)]));
  for (const key of ROWS) {
    const { state: now, approval: bound, was, request } = await connection.hgetall(keys.row('q4', key));
    if (now === undefined) continue;
    const own = await approvals.read(bound ?? '');
    const isLet = now === 'awaiting' && own?.standing === 'granted';
    const before = was === undefined ? undefined : JSON.parse(was);
    const [state, id] = now !== 'awaiting' || isLet ? [now, bound] : [before?.state, before?.approval];
    const approval = await approvals.read(id ?? '');
    if (state === undefined || ['refused', 'cancelled', 'skipped'].includes(state)) continue;
    if (approval?.answered?.by !== '') continue;
    const amount = JSON.parse(request ?? '').limit.requested_limit;
    for (const name of approval.authors) sums.set(name, sums.get(name)?.plus(amount) ?? new Big(0));
  }
  return Object.fromEntries([...sums].map(([name, sum]) => [name, sum.toFixed(2)]));
}

async function bySums({ connection, keys }: ReturnType<typeof openApprovals>) {
  const found: Record<string, string> = {};
  for (const name of PEOPLE) {
    const fields = Object.entries(await connection.hgetall(keys.passed(name)));
    found[name] = sumIn(
      Object.fromEntries(fields.map(([field, limb]) => [`sum:all:${field.split(':')[1]}`, limb])),
      'all',
    );
  }
  return found;
}

// Promise: sum-by-person
test('the sum that a person passed without approval equals their rows that may be sent, are under way or done', async () => {
  await fc.assert(
    fc.asyncProperty(ops, async (steps) => {
      const ledger = openApprovals();
      const { imported, rows, approvals, free, connection, keys } = ledger;
      const known = new Map<string, Awaited<ReturnType<typeof imported>>>();
      let files = 0;
      const end = async (key: string, to: 'refused' | 'held') => {
        const at = { portfolio: 'q4', key };
        const found = await rows.begin(at, 'company');
        const problem = { step: 'company' as Step, message: 'x', ...(to === 'refused' ? { status: 400 } : {}) };
        if (found?.state === 'company') await rows.advance(at, 'company', to, { problem });
      };
      const ask = async (key: string, from: 'refused' | 'held') => {
        const kind = from === 'held' ? 'answer' : 'retry';
        const id = await approvals.askFor({ portfolio: 'q4', kind, by: 'ann' });
        await approvals.awaitRow({ portfolio: 'q4', key }, from, {
          id,
          by: 'ann',
          said: from === 'held' ? 'resend' : '',
        });
        await approvals.close({ portfolio: 'q4', id }, { always: true, above: undefined });
        known.set(key, { id, look: async () => (await approvals.read(id)) as never });
      };
      for (const step of steps) {
        const { key } = step;
        const waiting = known.get(key);
        if (step.is === 'import' && 'amount' in step) {
          files += 1;
          const amounts = { [key]: `${step.amount}`, [step.other]: `${step.amount * 10}` };
          const policy = step.asks ? { always: true, above: undefined } : POLICY;
          const file = await imported(`${files}.csv`, amounts, policy, step.by);
          known.set(key, file).set(step.other, file);
        }
        if (step.is === 'refuse') await end(key, 'refused');
        if (step.is === 'hold') await end(key, 'held');
        if (step.is === 'requeue') await rows.requeue({ portfolio: 'q4', key }, 'refused');
        if (step.is === 'requeue held') await rows.requeue({ portfolio: 'q4', key }, 'held');
        if (step.is === 'cancel') {
          await connection.hset(keys.row('q4', key), 'gen', '-1');
          if ((await rows.read([{ portfolio: 'q4', key }]))[0] === undefined) await connection.del(keys.row('q4', key));
          else await rows.cancel({ portfolio: 'q4', key });
        }
        if (step.is === 'ask') await ask(key, 'refused');
        if (step.is === 'ask held') await ask(key, 'held');
        if (step.is === 'answer' && waiting) await ledger.grant(waiting, 'zoe');
        if (step.is === 'decline' && waiting) await ledger.decline(waiting, 'zoe');
        if (step.is === 'free' && waiting) {
          const { kind, standing } = await waiting.look();
          if (kind !== 'answer' && standing !== 'waiting') await free(waiting);
        }
        expect(await bySums(ledger), JSON.stringify(step)).toEqual(await byRows(ledger));
      }
    }),
    { numRuns: 60 },
  );
});
