import { expect } from 'vitest';
import { answerApproval, carryOutAnswered, type GivenAnswer } from '../../jobs/approvals/answer-approval.ts';
import type { Retry } from '../../jobs/operators/explain-rows.ts';
import { retryNamed } from '../../jobs/operators/retry-row.ts';
import { actOnRows } from '../../jobs/plans/act-on-rows.ts';
import { type CarryOutDeps, confirmPlan, type PlanConfirmed } from '../../jobs/plans/carry-out.ts';
import { makePlan, type PlanDeps, type PlanRequest } from '../../jobs/plans/make-plan.ts';
import type { Context } from '../../src/context.ts';
import type { AskedFor } from '../../src/ledger/approvals/approval-look.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import type { RowState, Step } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { RowFilter } from '../../src/ledger/search/row-filter.ts';
import type { Person } from '../../src/people/person.ts';
import { buyerLines, openWorkplace } from './workplace.ts';

export const ALICE: Person = { by: 'alice', roles: ['finance', 'operator'] };
export const BOB: Person = { by: 'bob', roles: ['approver'] };

/** The state of an approval page for a person who may answer and needs no proof of identity. */
export const ANSWERING = {
  may: 'yes',
  needsPassword: false,
  needsCode: false,
  needsSignIn: false,
  approvers: [],
  csrf: '',
} as const;

/**
 * A portfolio of so many rows that `alice` imported, under settings that ask for approval, without workers: a test
 * moves its rows itself.
 * Buyer n is on line n + 1 and asks for 1,000.50 + n.
 */
export async function openPortfolio(count: number, settings: Record<string, string> = { APPROVE_ALWAYS: 'on' }) {
  const place = await openWorkplace({ env: settings });
  const { context } = place;
  const { approvals, rows, calls } = context;
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
    /** Approves the only open approval, and releases its rows. */
    async approve(person: Person = BOB): Promise<Approval> {
      const { id, digest } = await waiting();
      const answered = await say({ id, digest, person });
      if (answered.is !== 'done') throw new Error(`it is ${answered.is}`);
      await carryOutAnswered(answered.approval, context);
      return answered.approval;
    },
    refuse: (row: RowId) => refuseCompany(context, row),
    hold: (row: RowId) => holdCompany(context, row),
    /** The answer to a claim of the row's limit, whatever the queues have. */
    async claim(row: RowId) {
      const thing = { kind: 'limit', key: row.key, row } as const;
      return calls.claim(thing, { owner: 'w1/1', onUnknown: 'hold' });
    },
  };
}

type Came = { rows: number; waits?: AskedFor };

/** Sends rows again as `limitline retry` does: one named row, or all rows of a state by a plan. */
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

/** The open approval of a portfolio. */
export async function waitingIn(name: string, { context }: { context: Context }): Promise<Approval> {
  const found = (await context.approvals.waiting()).find(({ portfolio }) => portfolio === name);
  if (!found) throw new Error(`nothing waits in ${name}`);
  return found;
}

/** A portfolio of so many queued rows, without workers: a test moves them itself. Buyer n is on line n + 1. */
export async function openPlanned(count: number) {
  const place = await openWorkplace();
  await place.import(buyerLines(count));
  const { context } = place;
  const waiting = await context.rows.inState('q4', 'queued', { count });
  const all = waiting.map(({ row }) => row);
  const deps: CarryOutDeps & PlanDeps = context;
  return {
    ...place,
    deps,
    /** The rows, in the order of their lines. */
    all,
    states: async () => (await context.portfolios.read('q4')).states,
    stateOf: async (row: RowId): Promise<RowState | undefined> => (await context.rows.read([row]))[0]?.state,
    refuse: (row: RowId) => refuseCompany(context, row),
    hold: (row: RowId) => holdCompany(context, row),
    async plan(request: Partial<PlanRequest> = {}) {
      await afterThisMs(context);
      return makePlan({ portfolio: 'q4', action: 'retry', filter: {}, ...request }, deps);
    },
    /** Confirms a plan, and waits for its end if this call began it. */
    async confirm(id: string): Promise<PlanConfirmed['is']> {
      const limits = { awaitMs: 0, signal: new AbortController().signal };
      const confirmed = await confirmPlan({ id, by: 'test' }, limits, deps);
      if (confirmed.is === 'started') await confirmed.ended;
      return confirmed.is;
    },
    outcome: async (id: string) => {
      const state = await context.plans.read(id);
      return state && { standing: state.standing, done: state.done, came: state.came, underWay: state.underWay };
    },
  };
}

/** The ledger stores changes in ms, and a change in the same ms as a plan counts as later. */
export async function afterThisMs({ plans }: Pick<Context, 'plans'>): Promise<void> {
  const since = await plans.now();
  while ((await plans.now()) === since);
}

type Place = Awaited<ReturnType<typeof openWorkplace>>['context'];

/** The service refuses the company of the row. */
export async function refuseCompany({ rows }: Place, row: RowId): Promise<void> {
  await rows.begin(row, 'company');
  const problem = { step: 'company' as Step, message: 'the service refused the company with status 400', status: 400 };
  await rows.advance(row, 'company', 'refused', { problem });
}

/** The call for the row's company has an unknown outcome. */
export async function holdCompany({ rows, calls, ledger, keys }: Place, row: RowId): Promise<void> {
  const found = await rows.begin(row, 'company');
  const key = found?.request.buyer ?? '';
  await ledger.hset(keys.call('company', key), { state: 'unknown', row: `${row.portfolio}/${row.key}` });
  await rows.advance(row, 'company', 'held', { problem: { step: 'company', message: 'nobody knows' } });
  if (!(await calls.isUnknown({ kind: 'company', key }))) throw new Error('the call is not unknown');
}
