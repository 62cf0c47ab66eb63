import { LimitlineError } from '../../src/errors.ts';
import type { AskedFor } from '../../src/ledger/approvals/answered.ts';
import type { Plan, PlanState } from '../../src/ledger/plans/plan.ts';
import type { PaceState } from '../../src/pace/pace-state.ts';
import type { CarryOutDeps } from './carry-out.ts';
import { confirmPlan } from './confirm-plan.ts';
import { makePlan, type PlanDeps, type Wish } from './make-plan.ts';

/** What was planned, and what became of it where it was carried out; or what waits for another person's approval instead. */
export type Acted = { plan: Plan; state: PlanState | undefined; waits?: AskedFor };

/**
 * Plans an action on the rows that a filter names, and carries the plan out at once: as a person does in the console, who
 * confirms it there. With `dryRun` it is planned, and nothing else.
 *
 * @throws LimitlineError `USAGE` where the portfolio became another in between; what `signal` is aborted with
 */
export async function actOnRows(
  wish: Wish,
  how: { by: string; dryRun: boolean; awaitMs: number; signal: AbortSignal; pace?: PaceState | undefined },
  deps: CarryOutDeps & PlanDeps,
): Promise<Acted> {
  const plan = await makePlan({ ...wish, by: how.by }, deps, how.pace);
  if (how.dryRun || plan.rows === 0) return { plan, state: undefined };
  const confirmed = await confirmPlan({ id: plan.id, by: how.by }, how, deps);
  if (confirmed.is !== 'started') {
    throw new LimitlineError(
      'USAGE',
      `Portfolio "${wish.portfolio}" was changed at this moment: run the command again.`,
    );
  }
  await confirmed.ended;
  const state = await deps.plans.read(plan.id);
  if (state?.waits === undefined) return { plan, state };
  const asked = await deps.approvals.read(state.waits);
  return { plan, state, ...(asked ? { waits: { approval: asked.id, rows: asked.rows, sum: asked.sum } } : {}) };
}
