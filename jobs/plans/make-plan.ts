import { Big } from 'big.js';
import { CALL_KINDS, eachKind } from '../../src/call-kind.ts';
import type { Calls } from '../../src/ledger/calls/calls.ts';
import { answeredRows, type Cause } from '../../src/ledger/counts/cause.ts';
import { soleCurrency } from '../../src/ledger/counts/outcome-sums.ts';
import { canHave } from '../../src/ledger/counts/row-outcome.ts';
import type { Plan, PlanAction, Plans } from '../../src/ledger/plans/plan.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { asksApproval, type SupplierInDoubt } from '../../src/ledger/schema/approval.ts';
import { ROW_STATES, type RowState, rowsIn, UNFINISHED_STATES } from '../../src/ledger/schema/row.ts';
import type { RowFilter } from '../../src/ledger/search/row-filter.ts';
import { type AskDeps, whyNeededWords } from '../operators/ask-first.ts';
import { isSupplierInDoubt } from '../operators/free-held.ts';
import { answeredOf, type ElsewhereDeps, heldElsewhere } from '../operators/plan-held-file.ts';
import { type BuyerRequests, findOtherRequests } from '../rows/other-requests.ts';
import { documentKey, type FoundRow } from '../rows/walk-rows.ts';
import { type FindRows, pagesOfFilter } from './carry-out.ts';

export type PlanDeps = AskDeps &
  ElsewhereDeps & {
    rows: FindRows & BuyerRequests;
    portfolios: Portfolios;
    plans: Plans;
    calls: Pick<Calls, 'madeId' | 'isUnknown'>;
  };

export type PlanRequest = { portfolio: string; action: PlanAction; filter: RowFilter; by?: string | undefined };

type Counts = Tally & Pick<Plan, 'isExact' | 'isLookedUp'>;

/** The states whose causes tell something of a plan. */
const OF_CAUSES: readonly RowState[] = ['refused', 'held'];

/**
 * The most rows that are read one by one, which takes a fraction of a second. For more rows, the ledger's own counts are used if it has
 * them.
 */
const LOOKED_UP = 2_000;

/** How long a page may wait for the count. An incomplete count is shown as "at least". */
const COUNT_FOR_MS = 2_000;

/**
 * Counts what an action would do and keeps that as a plan. The plan fixes the filter and the time: only rows of the filter that
 * have not changed since are acted on.
 *
 * @param ratePerS calls a second to be expected, if known, to estimate the duration
 */
export async function makePlan(request: PlanRequest, deps: PlanDeps, ratePerS?: number): Promise<Plan> {
  const { portfolio, action, by } = request;
  const filter = plannedFilter(action, request.filter);
  // The time is read first, so that rows which change during the count are left out.
  const atMs = await deps.plans.now();
  const state = await deps.portfolios.read(portfolio);
  const causes =
    filter.states.some((state) => OF_CAUSES.includes(state)) || filter.cause !== undefined
      ? await deps.portfolios.causes(portfolio)
      : [];
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
    currency: soleCurrency(state),
    supplier,
    elsewhere:
      action === 'resend'
        ? await heldElsewhere(portfolio, pagesOfFilter(deps.rows, portfolio, filter), deps)
        : undefined,
    others: action === 'retry' && counts.rows > 0 ? await othersOf({ portfolio, filter }, atMs, deps) : undefined,
    seconds: action === 'cancel' ? null : secondsOf(calls, ratePerS),
    approval: await whyApproved({ portfolio, action, filter }, { sum: counts.sum, supplier }, deps),
    begun: state.begun,
    reopened: state.reopened,
  });
}

/** Finds {@link Plan.others}, as far as that is possible in a count's time. */
function othersOf({ portfolio, filter }: Pick<PlanRequest, 'portfolio' | 'filter'>, atMs: number, { rows }: PlanDeps) {
  const planned = async function* () {
    for await (const page of pagesOfFilter(rows, portfolio, filter)) {
      yield page.filter(({ result }) => result.updatedMs < atMs);
    }
  };
  return findOtherRequests(planned(), { untilMs: performance.now() + COUNT_FOR_MS }, rows);
}

/**
 * Finds the reason for {@link Plan.approval}, as far as that is possible in a count's time. The text names no buyer, since a plan outlives
 * its rows.
 */
async function whyApproved(
  { portfolio, action, filter }: PlanRequest,
  { sum, supplier }: { sum: string; supplier: SupplierInDoubt | undefined },
  { rows, approvals, ...deps }: PlanDeps,
) {
  if (action === 'cancel') return undefined;
  const policy = await deps.approvalPolicy();
  // Nothing can need an approval, so the rows are not read. The check is made again when the plan is carried out.
  if (!asksApproval(policy) && !supplier && !(await approvals.wasAnyDeclined())) return undefined;
  const untilMs = performance.now() + COUNT_FOR_MS;
  const requested = async function* () {
    for await (const page of pagesOfFilter(rows, portfolio, filter)) {
      yield page.map((found) => ({ found }));
      if (performance.now() > untilMs) return;
    }
  };
  const asking = { portfolio, kind: action === 'retry' ? 'retry' : 'answer', supplier } as const;
  return whyNeededWords(asking, requested, { sum, approvals, policy });
}

/** A cause as people read it: `requested_limit is above … (status 400)`. */
function causeWords(cause: Cause | undefined): string | null {
  if (!cause) return null;
  return `${cause.words || cause.meaning}${cause.status === null ? '' : ` (status ${cause.status})`}`;
}

/** The counts by state or cause that the ledger keeps; undefined where the filter has other conditions. */
function keptCounts(
  { action, filter: { cause: id, ...rest } }: PlanRequest,
  { states, sums, replaced }: PortfolioState,
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
    const answered = answeredRows([cause]) || undefined;
    return {
      rows: cause.rows,
      sum: cause.sum,
      answered,
      ...most(cause.rows, cause.step === 'company' ? cause.rows : 0),
    };
  }
  const rows = rowsIn(states, wanted) - (wanted.includes('cancelled') ? replaced : 0);
  const sum = wanted.reduce((total, state) => total.plus(sums.byState[state]), new Big(0)).toFixed();
  // Rows that were refused at a later step have their companies, so they need no call for one.
  const later = causes.filter(({ step }) => step !== 'company').reduce((count, cause) => count + cause.rows, 0);
  const answered = wanted.includes('held') ? answeredRows(causes) || undefined : undefined;
  return { rows, sum, answered, ...most(rows, wanted.includes('refused') ? Math.max(0, rows - later) : rows) };
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

/** The factor between the lower and the upper estimate of a duration: other calls and changes of the pace allow no closer one. */
const LONGER_BY = 1.5;

/** The estimated seconds for so many calls; null where no rate is known. */
function secondsOf(calls: number, ratePerS: number | undefined): { from: number; to: number } | null {
  if (ratePerS === undefined) return null;
  const seconds = calls / ratePerS;
  return { from: Math.ceil(seconds), to: Math.ceil(seconds * LONGER_BY) };
}

type Tally = Pick<Plan, 'rows' | 'sum' | 'calls' | 'made' | 'answered'>;

/**
 * Adds up rows and the calls that sending them needs: each thing once for all its rows, and none that is made already. Only for
 * some thousands of rows, because their keys are in memory.
 */
function makeTally(action: PlanAction, { calls }: { calls: Pick<Calls, 'madeId'> }) {
  let [rows, sum, answered] = [0, new Big(0), 0];
  const things = eachKind(() => new Set<string>());

  return {
    add({ row, result: { step, state, request, companyId, problem } }: FoundRow): void {
      rows += 1;
      sum = sum.plus(request.limit.requested_limit);
      if (action === 'cancel') return;
      if (state === 'held' && answeredOf(problem).answered !== undefined) answered += 1;
      things.limit.add(row.key);
      // A company that the line gave by id needs no call.
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
      return { rows, sum: sum.toFixed(), calls: all, made, answered: answered || undefined };
    },
  };
}

/** The states that each action may apply to. */
const POSSIBLE: Readonly<Record<PlanAction, readonly RowState[]>> = {
  retry: ['refused', 'cancelled'],
  cancel: [...UNFINISHED_STATES, 'refused'],
  resend: ['held'],
};

/** The states that each action applies to by default. Cancelled rows are sent again only on request. */
const MEANT: Readonly<Record<PlanAction, readonly RowState[]>> = {
  retry: ['refused'],
  cancel: UNFINISHED_STATES,
  resend: ['held'],
};

/**
 * The filter with the action's states: those that it names, else the default. Only refused and held rows have a cause, so
 * cancelling by cause means refused rows.
 */
function plannedFilter(
  action: PlanAction,
  { outcomes, ...filter }: RowFilter,
): RowFilter & { states: readonly RowState[] } {
  const { states: named } = filter;
  const ofCause = action === 'cancel' && filter.cause !== undefined ? (['refused'] as const) : MEANT[action];
  // A person who chooses single rows means each of them, in any state that the action may apply to.
  const meant = filter.rows === undefined ? ofCause : POSSIBLE[action];
  const states = (named ?? outcomes) === undefined ? meant : POSSIBLE[action].filter(isNamed);
  // Most states tell the outcome, so the filter needs no outcomes besides the states. Only cancelled rows may have been replaced, so the
  // outcomes stay in the filter for them.
  const told = outcomes && states.includes('cancelled') ? { outcomes } : {};
  return { ...filter, ...told, states: ROW_STATES.filter((state) => states.includes(state)) };

  function isNamed(state: RowState): boolean {
    return (named?.includes(state) ?? true) && (outcomes === undefined || canHave(outcomes, state));
  }
}

/** Whether all open rows are to be cancelled: then the portfolio itself is cancelled, as the command `cancel` does it. */
function isWhole(action: PlanAction, filter: RowFilter): boolean {
  const { states = [] } = filter;
  if (action !== 'cancel' || states.length !== UNFINISHED_STATES.length) return false;
  return UNFINISHED_STATES.every((state) => states.includes(state)) && isByStateAlone(filter);
}

function isByStateAlone({ states: _states, ...rest }: RowFilter): boolean {
  return Object.values(rest).every((one) => one === undefined);
}
