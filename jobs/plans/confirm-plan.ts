import { randomUUID } from 'node:crypto';
import type { PlanState } from '../../src/ledger/plans/plan.ts';
import { type CarryOutDeps, carryOut } from './carry-out.ts';

/**
 * What became of a confirmation. `started` is being carried out, and `ended` resolves when that is over; `running` is carried
 * out already, by whoever confirmed it first; `changed`: the portfolio is another by now, so that a new plan is needed.
 */
export type PlanConfirmed =
  | { is: 'started'; state: PlanState; ended: Promise<void> }
  | { is: 'running' | 'ended' | 'changed'; state: PlanState }
  | { is: 'gone' };

/**
 * Confirms a plan, and begins to carry it out. One confirmation of a plan is heard, however many come; one whose process went
 * away in the middle may be confirmed again, and goes on.
 *
 * @param by who confirms it, as people know them
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
  // The mark on a portfolio gives up whatever is open: what another file brought in, or somebody sent again, was in nobody's plan.
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
