import { Big } from 'big.js';
import { CALL_KINDS, eachKind } from '../../src/call-kind.ts';
import type { Calls } from '../../src/ledger/calls/calls.ts';
import type { Cause } from '../../src/ledger/counts/cause.ts';
import { sumIn } from '../../src/ledger/counts/sums.ts';
import type { Plan, PlanAction } from '../../src/ledger/plans/plan.ts';
import type { Plans } from '../../src/ledger/plans/plans.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { SupplierInDoubt } from '../../src/ledger/schema/approval.ts';
import { asksApprovalOf, type OverOf, whyWords } from '../../src/ledger/schema/approval.ts';
import { ROW_STATES, type RowState, rowsIn, UNFINISHED_STATES } from '../../src/ledger/schema/row.ts';
import type { RowFilter } from '../../src/ledger/search/row-filter.ts';
import type { PaceState } from '../../src/pace/pace-state.ts';
import { type AskDeps, whyNeeded } from '../operators/ask-first.ts';
import { type ElsewhereDeps, heldElsewhere } from '../operators/held-elsewhere.ts';
import { isSupplierInDoubt } from '../operators/supplier-again.ts';
import { documentKey } from '../rows/document-key.ts';
import type { FoundRow } from '../rows/walk-rows.ts';
import { type FindRows, pagesOfFilter } from './planned-rows.ts';

export type PlanDeps = AskDeps &
  ElsewhereDeps & {
    rows: FindRows;
    portfolios: Portfolios;
    plans: Plans;
    calls: Pick<Calls, 'madeId' | 'isUnknown'>;
  };

/** What is to be done with the rows of a portfolio that a filter names, and who asks for it. */
export type PlanRequest = { portfolio: string; action: PlanAction; filter: RowFilter; by?: string | undefined };

type Counts = Tally & Pick<Plan, 'isExact' | 'isLookedUp'>;

/** So many rows are looked up one by one, a fraction of a second; of more, what the ledger counts is taken where it does. */
const LOOKED_UP = 2_000;

/** A page must not wait longer for its figures; what was not counted by then is said as "at least". */
const COUNT_FOR_MS = 2_000;

/**
 * Counts what an action would do, and keeps that as a plan; nothing else is changed. The filter is frozen in it, together with
 * the moment: carrying it out acts on rows that the filter names and that did not change at that moment or later.
 *
 * @param pace what is known of it, for the time that it takes
 */
export async function makePlan(request: PlanRequest, deps: PlanDeps, pace?: PaceState): Promise<Plan> {
  const { portfolio, action, by } = request;
  const filter = plannedFilter(action, request.filter);
  // The moment comes before the count: what changes between them is counted by neither.
  const atMs = await deps.plans.now();
  const state = await deps.portfolios.read(portfolio);
  const causes =
    filter.states.includes('refused') || filter.cause !== undefined ? await deps.portfolios.causes(portfolio) : [];
  const kept = keptCounts({ portfolio, action, filter }, state, causes);
  const counts = kept && kept.rows > LOOKED_UP ? kept : await lookUp({ portfolio, action, filter }, { atMs, deps });
  const { step, ...rest } = filter;
  const isOfSupplier = action === 'resend' && isByStateAlone(rest) && (step === undefined || step === 'company');
  const isInDoubt = isOfSupplier && (await isSupplierInDoubt(state, deps));
  const supplier = isInDoubt ? { key: state.supplier?.key ?? '', atMs } : undefined;
  if (supplier) counts.calls.company += 1;
  const calls = counts.calls.company + counts.calls.document + counts.calls.limit;
  return deps.plans.keep({
    portfolio,
    action,
    by,
    filter,
    cause: causeWords(causes.find(({ id }) => id === filter.cause)),
    whole: isWhole(action, filter),
    atMs,
    ...counts,
    supplier,
    elsewhere:
      action === 'resend'
        ? await heldElsewhere(portfolio, pagesOfFilter(deps.rows, portfolio, filter), deps)
        : undefined,
    seconds: action === 'cancel' ? null : secondsOf(calls, pace),
    approval: await whyApproved({ portfolio, action, filter }, { sum: counts.sum, supplier }, deps),
    begun: state.begun,
    reopened: state.reopened,
  });
}

/** See {@link Plan.approval}, as far as that is seen in the time of a count. It names no buyer: a plan outlives its rows. */
async function whyApproved(
  { portfolio, action, filter }: PlanRequest,
  { sum, supplier }: { sum: string; supplier: SupplierInDoubt | undefined },
  { rows, approvals, ...deps }: PlanDeps,
) {
  if (action === 'cancel') return undefined;
  const policy = await deps.approvalPolicy();
  const untilMs = performance.now() + COUNT_FOR_MS;
  const requested = async function* () {
    for await (const page of pagesOfFilter(rows, portfolio, filter)) {
      yield page.map((found) => ({ found }));
      if (performance.now() > untilMs) return;
    }
  };
  const asking = { portfolio, kind: action === 'retry' ? 'retry' : 'answer', supplier } as const;
  const isAbove = !policy.always && asksApprovalOf(policy, sum);
  const needed = await whyNeeded(asking, requested, { approvals, policy });
  const [of, name = '', ...limbs] = isAbove ? ['rows'] : (needed?.over ?? []);
  if (!of) return needed && whyWords({ kind: 'retry', redone: needed.redone });
  const over = {
    of: of as OverOf,
    name: of === 'person' ? name : 'One buyer',
    sum: of === 'rows' ? sum : sumOfLimbs(limbs),
    limit: (of === 'person' ? policy.personAbove : policy.above) ?? '0',
  };
  return whyWords({ kind: 'retry', redone: needed?.redone, over });
}

/** Of a sum as the ledger tells it: `k, limb, …` (above.lua). */
function sumOfLimbs(limbs: readonly string[]): string {
  const fields = limbs.flatMap((k, at) => (at % 2 === 0 ? [[`sum:over:${k}`, limbs[at + 1] ?? '']] : []));
  return sumIn(Object.fromEntries(fields), 'over');
}

/** `requested_limit is above … (status 400)` */
function causeWords(cause: Cause | undefined): string | null {
  if (!cause) return null;
  return `${cause.words || cause.meaning}${cause.status === null ? '' : ` (status ${cause.status})`}`;
}

/** What the ledger counts by itself: rows by state, and by cause. Nothing where the filter says more than that. */
function keptCounts(
  { action, filter: { cause: id, ...rest } }: PlanRequest,
  { states, sums }: PortfolioState,
  causes: readonly Cause[],
): Counts | undefined {
  if (!isByStateAlone(rest)) return undefined;
  const wanted = rest.states ?? [];
  const none = eachKind(() => 0);
  const most = (rows: number, companies: number) => ({
    calls: action === 'cancel' ? none : { ...none, company: companies, limit: rows },
    made: none,
    isExact: true,
    isLookedUp: false,
  });
  if (id !== undefined) {
    const cause = causes.find((one) => one.id === id);
    if (!cause || wanted.length !== 1) return undefined;
    return { rows: cause.rows, sum: cause.sum, ...most(cause.rows, cause.step === 'company' ? cause.rows : 0) };
  }
  const rows = rowsIn(states, wanted);
  const sum = wanted.reduce((total, state) => total.plus(sums.byState[state]), new Big(0)).toFixed();
  // Those that were refused at a later step have their companies.
  const later = causes.filter(({ step }) => step !== 'company').reduce((count, cause) => count + cause.rows, 0);
  return { rows, sum, ...most(rows, wanted.includes('refused') ? Math.max(0, rows - later) : rows) };
}

async function lookUp(
  { portfolio, action, filter }: PlanRequest,
  { atMs, deps }: { atMs: number; deps: PlanDeps },
): Promise<Counts> {
  const tally = makeTally(action, deps);
  const untilMs = performance.now() + COUNT_FOR_MS;
  let isExact = true;
  for await (const page of pagesOfFilter(deps.rows, portfolio, filter)) {
    for (const found of page) if (found.result.updatedMs < atMs) tally.add(found);
    isExact = performance.now() < untilMs;
    if (!isExact) break;
  }
  return { isExact, isLookedUp: true, ...(await tally.result()) };
}

/** Calls of others that leave meanwhile, and the looks upward of the pace, make it no more exact than this. */
const LONGER_BY = 1.5;

/**
 * So many calls take so many seconds at the pace that was learned, from and to; null where nothing was learned yet, or some
 * calls do not leave now.
 */
function secondsOf(calls: number, pace: PaceState | undefined): { from: number; to: number } | null {
  if (!pace || pace.phase === 'start' || pace.ratePerS <= 0 || (pace.tripped?.length ?? 0) > 0) return null;
  const seconds = calls / pace.ratePerS;
  return { from: Math.ceil(seconds), to: Math.ceil(seconds * LONGER_BY) };
}

/** What is counted of the rows of a plan. */
type Tally = Pick<Plan, 'rows' | 'sum' | 'calls' | 'made'>;

/**
 * Adds rows up, and the calls that sending them leads to: each thing once, however many rows name it, and none that is made
 * already. Only for some thousands of rows: the names of their things stand in memory.
 */
function makeTally(action: PlanAction, { calls }: { calls: Pick<Calls, 'madeId'> }) {
  let [rows, sum] = [0, new Big(0)];
  const things = eachKind(() => new Set<string>());

  return {
    add({ row, result: { step, request, companyId } }: FoundRow): void {
      rows += 1;
      sum = sum.plus(request.limit.requested_limit);
      if (action === 'cancel') return;
      things.limit.add(row.key);
      // A company that the line itself named is no thing of ours.
      if (request.companyId === undefined && (step === 'company' || companyId !== ''))
        things.company.add(request.buyer);
      for (const document of request.documents) things.document.add(documentKey(document));
    },
    async result(): Promise<Tally> {
      const [all, made] = [eachKind(() => 0), eachKind(() => 0)];
      for (const kind of CALL_KINDS) {
        const ids = await Promise.all([...things[kind]].map((key) => calls.madeId({ kind, key })));
        made[kind] = ids.filter((id) => id !== undefined).length;
        all[kind] = ids.length - made[kind];
      }
      return { rows, sum: sum.toFixed(), calls: all, made };
    },
  };
}

/** The states whose rows an action can be for. */
const POSSIBLE: Readonly<Record<PlanAction, readonly RowState[]>> = {
  retry: ['refused', 'cancelled'],
  cancel: [...UNFINISHED_STATES, 'refused'],
  resend: ['held'],
};

/** What is meant where no state is named. Rows that somebody gave up are sent again only where that is said. */
const MEANT: Readonly<Record<PlanAction, readonly RowState[]>> = {
  retry: ['refused'],
  cancel: UNFINISHED_STATES,
  resend: ['held'],
};

/**
 * A filter with the states that an action is for: of those that it names, or of those that are meant where it names none.
 * Rows have a cause while they are refused or held alone, so to give up all that failed like this is to give up refused ones.
 */
function plannedFilter(action: PlanAction, filter: RowFilter): RowFilter & { states: readonly RowState[] } {
  const named = filter.states;
  const meant = action === 'cancel' && filter.cause !== undefined ? (['refused'] as const) : MEANT[action];
  const states = named === undefined ? meant : POSSIBLE[action].filter((state) => named.includes(state));
  return { ...filter, states: ROW_STATES.filter((state) => states.includes(state)) };
}

/** Whether everything that is open is to be given up: that is one mark on the portfolio, and not a row at a time. */
function isWhole(action: PlanAction, { states = [], ...rest }: RowFilter): boolean {
  if (action !== 'cancel' || states.length !== UNFINISHED_STATES.length) return false;
  return (
    UNFINISHED_STATES.every((state) => states.includes(state)) && Object.values(rest).every((one) => one === undefined)
  );
}

/** Whether a filter says nothing beside the states. */
function isByStateAlone({ states: _states, ...rest }: RowFilter): boolean {
  return Object.values(rest).every((one) => one === undefined);
}
