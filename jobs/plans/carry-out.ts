import { randomUUID } from 'node:crypto';
import type { Plan, PlanCounts, PlanState, Plans } from '../../src/ledger/plans/plan.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { startSigns } from '../../src/ledger/schema/lease.ts';
import type { GivenUpFrom, PartOfPlan } from '../../src/ledger/schema/row.ts';
import type { RowFilter } from '../../src/ledger/search/row-filter.ts';
import { type AskDeps, askFirst, RESEND, type ResendRequest } from '../operators/ask-first.ts';
import { cancelRows } from '../operators/cancel-rows.ts';
import { type FreeDeps, freeHeld, resendSupplier, reviveGivenUpSupplier } from '../operators/free-held.ts';
import { resolveCallOf } from '../operators/resolve-calls.ts';
import { feed } from '../rows/feed.ts';
import { callInDoubt, callsOf, type FoundRow } from '../rows/walk-rows.ts';

export type CarryOutDeps = FreeDeps & AskDeps & { rows: Rows & FindRows; plans: Plans };

/** How often the plan's heartbeat is renewed, in ms, because a page may take long. */
const SIGN_EVERY_MS = 2_000;

/**
 * Executes a claimed plan: acts once on each of its rows that has not changed since. One script moves a row and counts it, so a
 * process that dies leaves nothing half done, and the next one that claims the plan continues.
 *
 * @param runner the claim; execution ends at once if another process has the plan
 * @param by who confirmed it, for the rows' histories
 * @param awaitMs how long to await calls under way when a whole portfolio is cancelled
 * @throws the reason of `signal`
 */
export async function carryOut(
  plan: Plan,
  { runner, by, awaitMs, signal }: { runner: string; by: string; awaitMs: number; signal: AbortSignal },
  deps: CarryOutDeps,
): Promise<void> {
  // While Redis is away, heartbeats fail. The rows' scripts fail, too, and they report it.
  const stopSigns = startSigns(() => deps.plans.note(plan.id, runner), SIGN_EVERY_MS);
  try {
    const counts = plan.whole
      ? await cancelWhole(plan, { runner, by, awaitMs }, deps)
      : await goThrough(plan, { runner, by, signal }, deps);
    if (counts) await deps.plans.end(plan.id, runner, counts);
  } finally {
    void stopSigns();
  }
}

/**
 * The result of a confirmation. `started`: this process executes it, until `ended` resolves. `running`: the process of an
 * earlier confirmation does. `changed`: the portfolio has changed, so a new plan is needed.
 */
export type PlanConfirmed =
  | { is: 'started'; state: PlanState; ended: Promise<void> }
  | { is: 'running' | 'ended' | 'changed'; state: PlanState }
  | { is: 'gone' };

/**
 * Confirms a plan and begins to execute it. Only one confirmation counts. If its process dies, the plan may be confirmed again
 * and continues.
 *
 * @param by who confirms it
 * @throws LimitlineError `USAGE` where its portfolio was archived since
 */
export async function confirmPlan(
  { id, by }: { id: string; by: string },
  { awaitMs, signal }: { awaitMs: number; signal: AbortSignal },
  deps: CarryOutDeps,
): Promise<PlanConfirmed> {
  const state = await deps.plans.read(id);
  if (!state) return { is: 'gone' };
  const { plan } = state;
  await deps.portfolios.mustBeHere(plan.portfolio);
  // Cancelling a whole portfolio would cancel rows that were imported or retried after the plan.
  if (plan.whole && state.standing !== 'ended') {
    const { begun, reopened } = await deps.portfolios.read(plan.portfolio);
    if (begun !== plan.begun || reopened !== plan.reopened) return { is: 'changed', state };
  }
  const runner = randomUUID();
  const is = await deps.plans.claim(id, runner, by);
  if (is === 'gone') return { is };
  if (is !== 'go') return { is, state };
  return { is: 'started', state, ended: carryOut(plan, { runner, by, awaitMs, signal }, deps) };
}

/** Finds rows of a filter page by page, ordered by key, so that moving rows never come twice. */
export type FindRows = Pick<Rows, 'page'>;

const PAGE = 500;

/**
 * Yields all rows of a plan's filter, page by page. A filter without states means no rows. No plan has a row that another line replaces or
 * that a later file lacks: the import of its own line brings it back.
 */
export async function* pagesOfFilter(rows: FindRows, portfolio: string, filter: RowFilter): AsyncGenerator<FoundRow[]> {
  if (filter.states === undefined || filter.states.length === 0) return;
  let after: string | undefined;
  do {
    const page = await rows.page(portfolio, filter, { after, count: PAGE });
    const found = page.found.filter(({ result }) => !result.replaced);
    if (found.length > 0) yield found;
    after = page.next;
  } while (after !== undefined);
}

/** Cancels all open rows, as the command `cancel` does. Rows cancelled before are not counted. */
async function cancelWhole(
  { id, portfolio }: Plan,
  { runner, by, awaitMs }: { runner: string; by: string; awaitMs: number },
  deps: CarryOutDeps,
): Promise<PlanCounts> {
  const cancelled = async () => (await deps.portfolios.read(portfolio)).states.cancelled;
  const before = (await deps.plans.read(id))?.before ?? (await cancelled());
  await deps.plans.note(id, runner, { before });
  const { open, restored } = await cancelRows({ portfolio, awaitMs, by }, deps);
  return { done: (await cancelled()) - before + restored, underWay: open };
}

/** Acts on rows page by page; answers nothing where another process has the plan. */
async function goThrough(
  plan: Plan,
  { runner, by, signal }: { runner: string; by: string; signal: AbortSignal },
  deps: CarryOutDeps,
): Promise<PlanCounts | undefined> {
  const counts = { came: 0, underWay: 0 };
  const part: Part = { plan: plan.id, beforeMs: plan.atMs, by };
  const waiting = await askForApproval(plan, { runner, by, signal }, deps);
  if (waiting !== undefined) return waiting;
  if (plan.action === 'retry' && plan.filter.states?.includes('cancelled')) {
    await reviveGivenUpSupplier(plan.portfolio, deps);
  }
  for await (const page of pagesOfFilter(deps.rows, plan.portfolio, plan.filter)) {
    signal.throwIfAborted();
    const planned = page.filter(isPlanned(plan));
    counts.came += page.length - planned.length;
    counts.underWay += await ACT[plan.action](planned, part, deps);
    if (!(await deps.plans.note(plan.id, runner, counts))) return undefined;
  }
  if (plan.action === 'resend') {
    if (plan.supplier) await resendSupplier(plan.portfolio, plan.supplier, deps);
    await freeHeld(deps);
  }
  if (plan.action !== 'cancel') await feed(deps);
  return counts;
}

/** Whether the row has a planned state and has not changed since, whatever the search index says. */
function isPlanned({ atMs, filter }: Plan): (found: FoundRow) => boolean {
  return ({ result }) => result.updatedMs < atMs && (filter.states?.includes(result.state) ?? false);
}

/**
 * Makes the plan's rows wait, if it needs another person's approval. Then nothing else is done, and counts are returned; otherwise
 * undefined. A continued plan uses the same approval.
 */
async function askForApproval(
  plan: Plan,
  { runner, by, signal }: { runner: string; by: string; signal: AbortSignal },
  deps: CarryOutDeps,
): Promise<PlanCounts | undefined> {
  const { action, portfolio } = plan;
  if (action === 'cancel') return undefined;
  const requested = async function* (): AsyncGenerator<readonly ResendRequest[]> {
    for await (const page of pagesOfFilter(deps.rows, portfolio, plan.filter)) {
      signal.throwIfAborted();
      const planned = page.filter(isPlanned(plan));
      yield await Promise.all(planned.map((found) => (action === 'resend' ? resendOf(found, deps) : { found })));
    }
  };
  const approval = (await deps.plans.read(plan.id))?.waits;
  const onAsked = (id: string) => deps.plans.waits(plan.id, runner, id);
  const kind = action === 'retry' ? 'retry' : 'answer';
  const part = { plan: plan.id, beforeMs: plan.atMs };
  const { supplier } = plan;
  const asking = { portfolio, kind, by, madeBy: plan.by, part, supplier, approval, onAsked } as const;
  const asked = await askFirst(asking, requested, deps);
  // Waiting rows are counted by their moves, in the plan's `done`.
  return asked && {};
}

async function resendOf(found: FoundRow, deps: CarryOutDeps): Promise<ResendRequest> {
  return { found, said: RESEND, of: await callInDoubt(found, deps) };
}

/** The plan for which rows are moved, and who confirmed it. */
type Part = PartOfPlan & { by: string };

/** The action for a page of rows. Answers how many rows have calls under way and therefore stay. */
const ACT: Record<Plan['action'], (rows: FoundRow[], part: Part, deps: CarryOutDeps) => Promise<number>> = {
  async retry(found, part, { rows, queues }) {
    // The ended jobs go first: BullMQ ignores a new job with a known id.
    await queues.forget(found.map(({ row }) => row));
    await Promise.all(
      found.map(({ row, result }) =>
        rows.requeue(row, result.state as 'refused' | 'cancelled', true, { by: part.by, part }),
      ),
    );
    return 0;
  },

  async cancel(found, part, { rows }) {
    const answers = await Promise.all(
      found.map((one) => rows.giveUp(one.row, one.result.state as GivenUpFrom, callsOf(one), part, part.by)),
    );
    return answers.filter((answer) => answer === 'under way' || answer === 'left').length;
  },

  async resend(found, part, deps) {
    const { rows, queues, calls } = deps;
    const resolved: FoundRow[] = [];
    await Promise.all(
      found.map(async (one) => {
        // Rows may share a call. The first of them resolves it for all.
        const said = { by: part.by, asOfMs: part.beforeMs };
        if ((await resolveCallOf(one, said, deps)) === 'resolved') resolved.push(one);
        else if (!(await isUnknown(one, calls))) resolved.push(one);
      }),
    );
    await queues.forget(resolved.map(({ row }) => row));
    await Promise.all(resolved.map(({ row }) => rows.requeue(row, 'held', true, { part })));
    return 0;
  },
};

async function isUnknown(found: FoundRow, calls: CarryOutDeps['calls']): Promise<boolean> {
  const unknown = await Promise.all(callsOf(found).map((call) => calls.isUnknown(call)));
  return unknown.includes(true);
}
