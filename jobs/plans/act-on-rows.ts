import { LimitlineError } from '../../src/errors.ts';
import type { AskedFor } from '../../src/ledger/approvals/approval-look.ts';
import type { Plan, PlanState } from '../../src/ledger/plans/plan.ts';
import { whyWords } from '../../src/ledger/schema/approval.ts';
import type { PaceState } from '../../src/pace/pace-state.ts';
import type { CarryOutDeps } from './carry-out.ts';
import { confirmPlan } from './confirm-plan.ts';
import { makePlan, type PlanDeps, type PlanRequest } from './make-plan.ts';

/** What was planned, and what became of it where it was carried out; or what waits for another person's approval instead. */
export type Acted = { plan: Plan; state: PlanState | undefined; waits?: AskedFor };

/** Who acts, and how long a step of it may last. */
type How = { by: string; awaitMs: number; signal: AbortSignal };

/**
 * Plans an action on the rows that a filter names, and carries the plan out at once: as a person does in the console, who
 * confirms it there. With `dryRun` it is planned, and nothing else.
 *
 * @throws LimitlineError `USAGE` where the portfolio became another in between; what `signal` is aborted with
 */
export async function actOnRows(
  request: PlanRequest,
  how: How & { dryRun: boolean; pace?: PaceState | undefined },
  deps: CarryOutDeps & PlanDeps,
): Promise<Acted> {
  const plan = await makePlan({ ...request, by: how.by }, deps, how.pace);
  return how.dryRun || isEmpty(plan) ? { plan, state: undefined } : actOnPlan(plan, how, deps);
}

/** Whether a plan has nothing to do. A count that had to end early says so of no plan; a supplier is no row. */
export function isEmpty({ rows, isExact, supplier }: Plan): boolean {
  return rows === 0 && isExact && !supplier;
}

/** Carries out a plan that somebody said yes to: what changed since it was made is left alone. @throws see {@link actOnRows} */
export async function actOnPlan(plan: Plan, how: How, deps: CarryOutDeps & PlanDeps): Promise<Acted> {
  const confirmed = await confirmPlan({ id: plan.id, by: how.by }, how, deps);
  if (confirmed.is !== 'started') {
    throw new LimitlineError(
      'USAGE',
      `Portfolio "${plan.portfolio}" was changed meanwhile, or the answer came too late: run the command again.`,
    );
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
