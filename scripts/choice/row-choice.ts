import { type Command, InvalidArgumentError } from 'commander';
import { type Acted, actOnPlan, actOnRows } from '../../jobs/plans/act-on-rows.ts';
import type { PlanRequest } from '../../jobs/plans/make-plan.ts';
import { commandLineActor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import { counted, moneyText } from '../../src/counted.ts';
import { LimitlineError, messageOf } from '../../src/errors.ts';
import { heldRemedy } from '../../src/held-remedy.ts';
import type { Cause } from '../../src/ledger/counts/cause.ts';
import { type NamedOtherRequests, otherRequestsWords, type Plan } from '../../src/ledger/plans/plan.ts';
import { filterFromQuery, type Query, type RowFilter } from '../../src/ledger/search/row-filter.ts';
import { knownRate } from '../../src/open-service.ts';
import { visible } from '../../src/portfolio/problem.ts';

/** Which rows a command is for: by cause or by filter. */
export type RowChoice = { cause?: string | undefined; where?: RowFilter | undefined };

/** Adds the options by which `retry` and `cancel` choose rows. */
export function withChoiceOptions(command: Command): Command {
  return command
    .option('--cause <id>', 'only rows that were refused for this cause (report --causes)', choosingText)
    .option(
      '--where <filter>',
      "only rows that this filter chooses, as in the address of the console's page",
      filterText,
    );
}

/**
 * Parses a filter in the form of the console's query string: `states=refused&min=1000`. One that chooses nothing is refused: a shell variable
 * in it may be empty, and without a choice the command is for all rows.
 */
function filterText(text: string): RowFilter {
  try {
    const filter = filterFromQuery(queryOf(text.replace(/^\?/, '')));
    if (Object.keys(filter).length > 0) return filter;
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
  throw new InvalidArgumentError(CHOOSES_NOTHING);
}

/** Parses the value of another option that chooses rows, which must not be empty either. */
export function choosingText(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError(CHOOSES_NOTHING);
  return text;
}

const CHOOSES_NOTHING = 'It is empty and chooses nothing. Leave the option out for all rows.';

function queryOf(text: string): Query {
  const query: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (!KNOWN.has(name))
      throw new LimitlineError('USAGE', `Rows are chosen by ${[...KNOWN].join(', ')}; not by "${name}".`);
    query[name] = [...(query[name] ?? []), value];
  }
  return query;
}

const KNOWN = new Set(['states', 'outcomes', 'step', 'problem', 'cause', 'status', 'min', 'max', 'text']);

/** The chosen filter; undefined without a choice. @throws LimitlineError `USAGE` for both options */
export function chosenFilter({ cause, where }: RowChoice): RowFilter | undefined {
  if (cause !== undefined && where !== undefined) {
    throw new LimitlineError('USAGE', 'Choose rows by --cause ID or by --where FILTER, not by both.');
  }
  return cause === undefined ? where : { cause };
}

/** Describes a plan that is not executed. */
export function planWords(plan: Plan, others?: NamedOtherRequests): string {
  const { action, portfolio, rows, sum, currency, calls, isExact } = plan;
  if (rows === 0) return `None of the chosen rows of portfolio ${portfolio} can be ${DONE[action]}.`;
  const atLeast = isExact ? '' : 'at least ';
  const what = `${atLeast}${counted(rows, 'row')} of portfolio ${portfolio}, ${moneyText(sum, currency)} in all,`;
  const all = calls.company + calls.document + calls.limit;
  const leads = action === 'cancel' ? '' : `: ${atLeast}${counted(all, 'call')}`;
  const would = `${what[0]?.toUpperCase()}${what.slice(1)} would be ${DONE[action]}${leads}.`;
  const after = [...approvedFirst(plan), 'Nothing was done.'];
  return others
    ? [would, ...otherRequestsWords(others).map(visible), after.join(' ')].join('\n')
    : [would, ...after].join(' ');
}

/** A sentence that a colleague has to approve first, and why; none if nobody has to. */
export function approvedFirst({ approval }: Pick<Plan, 'approval'>): string[] {
  return approval === undefined ? [] : [`A colleague must approve this first. ${approval}`.trimEnd()];
}

const DONE: Readonly<Record<Plan['action'], string>> = {
  retry: 'sent again',
  cancel: 'cancelled',
  resend: 'sent again',
};

/** A plan in JSON. */
export function plannedOf({ rows, sum, isExact, calls, made, answered, approval }: Plan) {
  return {
    rows,
    sum,
    isExact,
    calls,
    made,
    ...(answered === undefined ? {} : { answered }),
    ...(approval === undefined ? {} : { approval }),
  };
}

export function cancelledWords(portfolio: string, rows: number): string {
  return `${counted(rows, 'row')} of portfolio ${portfolio} ${rows === 1 ? 'is' : 'are'} cancelled; importing them again brings them back.`;
}

/** Tells of a cause's held rows, which need a person's answer and are in no plan; '' if there are none. */
export function heldWords(portfolio: string, cause: Cause | undefined, planned: number): string {
  if (cause?.meaning !== 'unknown' || planned >= cause.rows) return '';
  const rows = cause.rows - planned;
  return `${counted(rows, 'row')} of this cause ${rows === 1 ? 'is' : 'are'} held and ${rows === 1 ? 'stays' : 'stay'} so. ${heldRemedy(portfolio)}.`;
}

export function cameWords(rows: number): string {
  return rows === 0 ? '' : `${counted(rows, 'row')} changed meanwhile and ${rows === 1 ? 'was' : 'were'} left alone.`;
}

export function underWayWords(rows: number): string {
  if (rows === 0) return '';
  const calls =
    rows === 1 ? 'has a call under way: its answer still counts' : 'have calls under way: their answers still count';
  return `${counted(rows, 'row')} ${calls}.`;
}

/** Time for recording the answer of a call in flight, in addition to the service's timeout. */
const ANSWER_MARGIN_MS = 5_000;

/** Acts on chosen rows as the console does after a confirmed plan; with `dryRun`, only plans. */
export async function actOnChosen(
  request: PlanRequest,
  { dryRun }: { dryRun: boolean },
  context: Context,
): Promise<Acted> {
  return actOnRows(request, { ...howOf(context), dryRun, ratePerS: await knownRate(context) }, context);
}

/** Executes a plan that was made with `dryRun`, after the person said yes. */
export function actOnShown(plan: Plan, context: Context): Promise<Acted> {
  return actOnPlan(plan, howOf(context), context);
}

/** How long a cancelling command awaits the answer of a call in flight, in ms. */
export function answerLimitMs({ settings }: Context): number {
  return settings.SERVICE_TIMEOUT_MS + ANSWER_MARGIN_MS;
}

function howOf(context: Context) {
  return { by: commandLineActor(), awaitMs: answerLimitMs(context), signal: new AbortController().signal };
}

/** The cause in a filter, if there is one. @throws LimitlineError `NOT_FOUND` where no row has it */
export async function causeOfFilter(name: string, { cause }: RowFilter, context: Context): Promise<Cause | undefined> {
  return cause === undefined ? undefined : causeNamed(cause, await context.portfolios.causes(name), name);
}

/** @throws LimitlineError `NOT_FOUND` where no row of the portfolio is refused or held for this cause */
function causeNamed(id: string, causes: readonly Cause[], portfolio: string): Cause {
  const cause = causes.find((one) => one.id === id);
  if (cause) return cause;
  const there = `To see the causes, run: npx limitline report "${portfolio}" --causes`;
  throw new LimitlineError('NOT_FOUND', `No refused or held row of portfolio "${portfolio}" has cause ${id}. ${there}`);
}
