import { type Acted, actOnPlan, actOnRows } from '../../jobs/plans/act-on-rows.ts';
import type { PlanRequest } from '../../jobs/plans/make-plan.ts';
import { commandLineActor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import type { Cause } from '../../src/ledger/counts/cause.ts';
import type { Plan } from '../../src/ledger/plans/plan.ts';
import type { RowFilter } from '../../src/ledger/search/row-filter.ts';
import { lookAtPace } from '../../src/open-service.ts';
import { causeNamed } from './row-choice.ts';

/** For recording an answer, in addition to the service's timeout. */
const ANSWER_MARGIN_MS = 5_000;

/** Acts on chosen rows as the console does after a confirmed plan; with `dryRun`, only plans. */
export async function actOnChosen(
  request: PlanRequest,
  { dryRun }: { dryRun: boolean },
  context: Context,
): Promise<Acted> {
  return actOnRows(request, { ...howOf(context), dryRun, pace: await lookAtPace(context) }, context);
}

/** Executes a plan that was made with `dryRun`, after the person said yes. */
export function actOnShown(plan: Plan, context: Context): Promise<Acted> {
  return actOnPlan(plan, howOf(context), context);
}

function howOf({ settings }: Context) {
  const awaitMs = settings.SERVICE_TIMEOUT_MS + ANSWER_MARGIN_MS;
  return { by: commandLineActor(), awaitMs, signal: new AbortController().signal };
}

/** The cause in a filter, if there is one. @throws LimitlineError `NOT_FOUND` where no row has it */
export async function causeOfFilter(name: string, { cause }: RowFilter, context: Context): Promise<Cause | undefined> {
  return cause === undefined ? undefined : causeNamed(cause, await context.portfolios.causes(name), name);
}
