import { randomUUID } from 'node:crypto';
import type { PlanState } from '../../src/ledger/plans/plan.ts';
import { type CarryOutDeps, carryOut } from './carry-out.ts';

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
