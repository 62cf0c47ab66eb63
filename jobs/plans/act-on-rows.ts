import { LimitlineError } from '../../src/errors.ts';
import type { AskedFor } from '../../src/ledger/approvals/approval-look.ts';
import type { Plan, PlanState } from '../../src/ledger/plans/plan.ts';
import { whyWords } from '../../src/ledger/schema/approval.ts';
import { type CarryOutDeps, confirmPlan } from './carry-out.ts';
import { makePlan, type PlanDeps, type PlanRequest } from './make-plan.ts';

/** A plan and its state after execution, or the approval that it waits for. */
export type Acted = { plan: Plan; state: PlanState | undefined; waits?: AskedFor };

/** Who acts, and how long calls under way are awaited. */
type How = { by: string; awaitMs: number; signal: AbortSignal };

/**
 * Plans an action on the rows of a filter and executes the plan at once, as if confirmed in the console. With `dryRun`, it only plans.
 *
 * @throws LimitlineError `USAGE` where the portfolio has changed in between; the reason of `signal`
 */
export async function actOnRows(
  request: PlanRequest,
  how: How & { dryRun: boolean; ratePerS?: number | undefined },
  deps: CarryOutDeps & PlanDeps,
): Promise<Acted> {
  const plan = await makePlan({ ...request, by: how.by }, deps, how.ratePerS);
  return how.dryRun || isEmpty(plan) ? { plan, state: undefined } : actOnPlan(plan, how, deps);
}

/**
 * Whether a plan has nothing to do. A plan has something to do if it has a supplier, which is no row, and may have if its count is
 * incomplete.
 */
export function isEmpty({ rows, isExact, supplier }: Plan): boolean {
  return rows === 0 && isExact && !supplier;
}

/** Executes a confirmed plan. Leaves alone what changed since. @throws see {@link actOnRows} */
export async function actOnPlan(plan: Plan, how: How, deps: CarryOutDeps & PlanDeps): Promise<Acted> {
  const confirmed = await confirmPlan({ id: plan.id, by: how.by }, how, deps);
  if (confirmed.is !== 'started') {
    const message = `Portfolio "${plan.portfolio}" was changed meanwhile, or the answer came too late: run the command again.`;
    throw new LimitlineError('USAGE', message);
  }
  await confirmed.ended;
  const state = await deps.plans.read(plan.id);
  if (state?.waits === undefined) return { plan, state };
  const asked = await deps.approvals.read(state.waits);
  return {
    plan,
    state,
    ...(asked ? { waits: { approval: asked.id, rows: asked.rows, sum: asked.sum, why: whyWords(asked) } } : {}),
  };
}
