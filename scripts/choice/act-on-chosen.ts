import { type Acted, actOnRows } from '../../jobs/plans/act-on-rows.ts';
import type { Wish } from '../../jobs/plans/make-plan.ts';
import { commandLineActor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import type { Cause } from '../../src/ledger/counts/causes.ts';
import type { RowFilter } from '../../src/ledger/search/row-filter.ts';
import { lookAtPace } from '../../src/open-service.ts';
import { causeNamed } from './row-choice.ts';

/** For the answer to be written down. */
const ANSWER_MARGIN_MS = 5_000;

/** Does with the chosen rows what the console does after its plan is confirmed; with `dryRun` it is planned alone. */
export async function actOnChosen(wish: Wish, { dryRun }: { dryRun: boolean }, context: Context): Promise<Acted> {
  const awaitMs = context.settings.SERVICE_TIMEOUT_MS + ANSWER_MARGIN_MS;
  const { signal } = new AbortController();
  const pace = await lookAtPace(context);
  return actOnRows(wish, { by: commandLineActor(), dryRun, awaitMs, signal, pace }, context);
}

/** The cause that a filter names, if it names one. @throws LimitlineError `NOT_FOUND` where no row has it */
export async function causeOf(name: string, { cause }: RowFilter, context: Context): Promise<Cause | undefined> {
  return cause === undefined ? undefined : causeNamed(cause, await context.portfolios.causes(name), name);
}
