import { expect } from 'vitest';
import { answerApproval, carryOutAnswered, type GivenAnswer } from '../../jobs/approvals/answer-approval.ts';
import type { Retry } from '../../jobs/operators/explain-rows.ts';
import { retryNamed } from '../../jobs/operators/retry-row.ts';
import { actOnRows } from '../../jobs/plans/act-on-rows.ts';
import type { Context } from '../../src/context.ts';
import type { AskedFor } from '../../src/ledger/approvals/approval-look.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import type { RowState, Step } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { RowFilter } from '../../src/ledger/search/row-filter.ts';
import type { Person } from '../../src/people/person.ts';
import { afterThisMs } from './planned-rows.ts';
import { buyerLines, openWorkplace } from './workplace.ts';

export const ALICE: Person = { by: 'alice', roles: ['finance', 'operator'] };
export const BOB: Person = { by: 'bob', roles: ['approver'] };

/** What the page of an approval says to a person who may answer, and whom it asks for no proof. */
export const ANSWERING = {
  may: 'yes',
  needsPassword: false,
  needsCode: false,
  needsSignIn: false,
  approvers: [],
  csrf: '',
} as const;

/**
 * A portfolio of so many rows that `alice` imported, under settings that ask for approval, without workers: a test moves its rows itself.
 * Buyer n stands in line n + 1 and asks for 1,000.50 + n.
 */
export async function openPortfolio(count: number, settings: Record<string, string> = { APPROVE_ALWAYS: 'on' }) {
  const place = await openWorkplace({ env: settings });
  const { context } = place;
  const { approvals, rows, ledger, keys, calls } = context;
  const imported = await place.import(buyerLines(count), { by: ALICE.by });

  const waiting = async (): Promise<Approval> => {
    const [one, ...others] = await approvals.waiting();
    expect(others, 'others that wait').toEqual([]);
    if (!one) throw new Error('nothing waits for approval');
    return one;
  };
  const say = (said: Partial<GivenAnswer> & Pick<GivenAnswer, 'id' | 'digest'>) =>
    answerApproval({ answer: 'approve', words: '', person: BOB, ...said }, context);
  const all = async (state: RowState): Promise<RowId[]> =>
    (await rows.inState('q4', state, { count })).map(({ row }) => row);
  return {
    ...place,
    imported,
    waiting,
    say,
    all,
    states: async () => (await context.portfolios.read('q4')).states,
    /** Says yes to the only thing that waits, and lets it go. */
    async approve(person: Person = BOB): Promise<Approval> {
      const { id, digest } = await waiting();
      const answered = await say({ id, digest, person });
      if (answered.is !== 'done') throw new Error(`it is ${answered.is}`);
      await carryOutAnswered(answered.approval, context);
      return answered.approval;
    },
    /** The service says no to its company. */
    async refuse(row: RowId): Promise<void> {
      await rows.begin(row, 'company');
      const problem = {
        step: 'company' as Step,
        message: 'the service refused the company with status 400',
        status: 400,
      };
      await rows.advance(row, 'company', 'refused', { problem });
    },
    /** Nobody knows what became of the call for its company. */
    async hold(row: RowId): Promise<void> {
      const found = await rows.begin(row, 'company');
      const key = found?.request.buyer ?? '';
      await ledger.hset(keys.call('company', key), { state: 'unknown', row: `${row.portfolio}/${row.key}` });
      await rows.advance(row, 'company', 'held', { problem: { step: 'company', message: 'nobody knows' } });
      expect(await calls.isUnknown({ kind: 'company', key })).toBe(true);
    },
    /** What the claim of a row's limit is answered, whatever the queues hold. */
    async claim(row: RowId) {
      const thing = { kind: 'limit', key: row.key, row } as const;
      return calls.claim(thing, { owner: 'w1/1', onUnknown: 'hold' });
    },
  };
}

type Came = { rows: number; waits?: AskedFor };

/** Sends rows again as `limitline retry` does: one that is named, or by a plan all of a state. */
export async function retryRows({ by = 'test', ...retry }: Retry & { by?: string }, context: Context): Promise<Came> {
  if (retry.line !== undefined || retry.row !== undefined) {
    const retried = await retryNamed(retry, by, context);
    if (retried?.is === 'waits') return { rows: 0, waits: retried.asked };
    return { rows: retried?.is === 'again' ? 1 : 0 };
  }
  const { portfolio, state, error } = retry;
  return act('retry', { portfolio, by, filter: { states: [state], ...(error ? { problem: error } : {}) } }, context);
}

/** Sends held rows again as `limitline resolve --all --resend` does. */
export function resendHeld(
  { by = 'test', step, portfolio = 'q4' }: { by?: string; step?: Step; portfolio?: string },
  context: Context,
): Promise<Came> {
  return act('resend', { portfolio, by, filter: { states: ['held'], ...(step ? { step } : {}) } }, context);
}

async function act(
  action: 'retry' | 'resend',
  { portfolio, by, filter }: { portfolio: string; by: string; filter: RowFilter },
  context: Context,
): Promise<Came> {
  await afterThisMs(context);
  const { signal } = new AbortController();
  const how = { by, dryRun: false, awaitMs: 10_000, signal };
  const { state, waits } = await actOnRows({ portfolio, action, filter }, how, context);
  return { rows: waits ? 0 : (state?.done ?? 0), ...(waits ? { waits } : {}) };
}

/** The approval that waits in a portfolio. */
export async function waitingIn(name: string, { context }: { context: Context }): Promise<Approval> {
  const found = (await context.approvals.waiting()).find(({ portfolio }) => portfolio === name);
  if (!found) throw new Error(`nothing waits in ${name}`);
  return found;
}
