import { withDoubt } from '../../jobs/operators/free-held.ts';
import { foundPages } from '../../jobs/rows/walk-rows.ts';
import type { Context } from '../../src/context.ts';
import { counted } from '../../src/counted.ts';
import { isLimitlineError } from '../../src/errors.ts';
import { inTime } from '../../src/in-time.ts';
import { countLiving } from '../../src/ledger/calls/fleet.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import { isPaused, openRows, type Summary, summarize } from '../../src/ledger/portfolios/summary.ts';
import { GRANTED_STATES, rowsIn } from '../../src/ledger/schema/row.ts';
import { untilStopped } from '../../src/ledger/schema/until-answered.ts';
import { hintedStatus } from '../../src/service/answer-meaning.ts';
import { sayWaiting } from '../approval/approval-words.ts';
import { isFinished } from '../ending/open-portfolios.ts';
import { INPUT_NAME } from '../file/standard-input.ts';
import type { TimeLimit } from '../options/durations.ts';
import { DEADLINE_STATUS, PROBLEMS_STATUS } from '../process/exit-status.ts';
import { summaryTable } from '../report/summary-table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Found } from './import-and-wait.ts';
import { leaveResultsOf, leftFiles, type ResultsOptions, type RunOf, sayNextSteps } from './next-steps.ts';

type ConcludeDeps = ResultsOptions & { context: Context; terminal: Terminal; stop: AbortSignal; limit: TimeLimit };

/** Prints a run's report, writes its results files, tells the next steps, and answers the exit status. */
export async function conclude(run: RunOf, found: Found, deps: ConcludeDeps): Promise<number> {
  const { context, terminal, stop, limit, results } = deps;
  const { portfolio } = run;
  if (found.faults.length > 0) return refuseFile(run, found, terminal);
  const report = await lastReport(portfolio, context, stop);
  if (!report) {
    if (terminal.json) terminal.print('', { portfolio, ...found.read });
    terminal.say('limitline: stopped while Redis did not answer; run the same command to continue.');
    return limit.isOver() ? DEADLINE_STATUS : PROBLEMS_STATUS;
  }
  const { summary, state, hints } = report;
  if (summary) terminal.answer(summaryTable(summary, state));
  // At the deadline, a run ends by itself and may write files. After a signal it writes none, since somebody waits for the end.
  const endedItself = !stop.aborted || limit.isOver();
  const leaving = { results, context, stop: limit.isOver() ? new AbortController().signal : stop };
  const left = summary && endedItself ? await leaveResultsOf(run, summary, leaving) : undefined;
  // A run may be stopped before its portfolio exists.
  if (terminal.json) terminal.print('', { ...(summary ?? { portfolio }), ...found.read, files: leftFiles(left) });
  if (summary && endedItself) sayNextSteps(run, { summary, left }, terminal);
  if (summary && endedItself && summary.states.awaiting > 0) await sayWaiting(portfolio, context, terminal);
  for (const hint of hints) terminal.say(`limitline: ${hint}`);
  return statusOf(portfolio, report, deps);
}

/** The report at the end of a run; undefined where it was stopped and Redis does not answer. Otherwise, Redis is waited for. */
async function lastReport(portfolio: string, context: Context, stop: AbortSignal): Promise<LastReport | undefined> {
  const report = async (): Promise<LastReport> => {
    const [summary, state, workers] = await Promise.all([
      summarize(portfolio, context),
      context.portfolios.read(portfolio),
      countLiving({ connection: context.ledger, keys: context.keys }),
    ]);
    const hints = [
      summary && summary.states.held > 0 ? await notMadeHint(portfolio, context) : undefined,
      stop.aborted ? undefined : await differingWords(portfolio, context),
    ].filter((hint) => hint !== undefined);
    return { summary, state: await withDoubt(state, context), hints, workers };
  };
  try {
    if (!stop.aborted) return await untilStopped(context.retryUntilAnswered, stop)('report', report);
    // The report's rejection is always handled: an unhandled one would end the process.
    const last = inTime(report(), LAST_REPORT_MS, () => undefined).catch(() => undefined);
    return context.ledger.status === 'ready' ? await last : undefined;
  } catch (error) {
    if (isLimitlineError(error, 'STOPPED')) return undefined;
    throw error;
  }
}

/** Reports that the file cannot be used. */
function refuseFile({ portfolio, path }: RunOf, { faults, read }: Found, terminal: Terminal): number {
  const words = `Nothing was imported: ${path ?? INPUT_NAME} cannot be used as it is.`;
  terminal.print(words, { portfolio, problems: faults, ...read });
  return PROBLEMS_STATUS;
}

/** The exit status. Prints the reason if it is not 0. */
function statusOf(
  portfolio: string,
  { summary, state, workers }: LastReport,
  { terminal, stop, limit }: Pick<ConcludeDeps, 'terminal' | 'stop' | 'limit'>,
): number {
  // The deadline may be over before the import has begun.
  if (limit.isOver() && !(summary && isAllDone(state))) {
    terminal.say(overdueWords(limit, summary ? state : { ...state, interrupted: true }));
    return DEADLINE_STATUS;
  }
  if (stop.aborted && !limit.isOver()) {
    const isAtEnd = summary && isAllDone(state);
    terminal.say(
      `limitline: stopped ${isAtEnd ? 'after the last row; run the same command to write results' : 'before the end; run the same command to continue'}.`,
    );
    if (workers > 0 && state.paused === undefined && openRows(state) > 0) {
      terminal.say(
        `limitline: workers of another process go on sending; to stop them: npx limitline pause "${portfolio}"`,
      );
    }
    return PROBLEMS_STATUS;
  }
  if (isPaused(state)) {
    terminal.say(
      `limitline: paused: ${state.paused}. Go on with: npx limitline resume "${portfolio}", or give up with: npx limitline cancel "${portfolio}"`,
    );
    return PROBLEMS_STATUS;
  }
  return summary && allWell(summary, state) ? 0 : PROBLEMS_STATUS;
}

/** Whether a run that ends now has nothing left to continue. */
const isAllDone = (state: PortfolioState): boolean => isFinished(state) && !state.interrupted;

function overdueWords({ text }: TimeLimit, { states, interrupted }: PortfolioState): string {
  const left = counted(openRows({ states }), 'row is', 'rows are');
  const unread = interrupted ? ', and the file was not read to its end' : '';
  return `limitline: the time of --deadline ${text} is over; ${left} left${unread}. Run the same command to continue.`;
}

function allWell({ rows, states, replaced, invalid, kept }: Summary, { supplier }: PortfolioState): boolean {
  return (
    invalid + kept === 0 &&
    rowsIn(states, GRANTED_STATES) + replaced === rows &&
    (!supplier || supplier.id !== undefined)
  );
}

/** How long a stopped run waits for its report. The report command gives it later. */
const LAST_REPORT_MS = 2_000;

/** The most held rows that are read for the hint at SERVICE_NOT_MADE: enough to know the statuses of their responses. */
const HELD_LOOKED_AT = 1_000;

/**
 * A portfolio at the end of a run. `hints`: sentences about single rows, such as on a setting that keeps rows from being held. `workers`: the
 * number of processes that go on sending.
 */
type LastReport = { summary: Summary | undefined; state: PortfolioState; hints: string[]; workers: number };

/** Suggests SERVICE_NOT_MADE if rows are held by responses that may mean "nothing made". */
async function notMadeHint(portfolio: string, { rows, settings }: Context): Promise<string | undefined> {
  const held = await rows.inState(portfolio, 'held', { count: HELD_LOOKED_AT });
  const results = await rows.read(held.map(({ row }) => row));
  const statuses = new Set(results.map((result) => hintedStatus(result?.problem?.message ?? '')));
  const named = [...statuses].filter((status) => status !== undefined).sort();
  if (named.length === 0) return undefined;
  const setting = `SERVICE_NOT_MADE=${[...settings.SERVICE_NOT_MADE, ...named].join(',')}`;
  return `rows are held because the service answered ${named.join(', ')}, and that does not say whether anything was made. If you know that the service makes nothing when it answers so, set ${setting}: from then on such calls are sent again by themselves.`;
}

/** How many answers SERVICE_ANSWER_CHECK=warn took although they differ from the requests; nothing without such answers. */
async function differingWords(portfolio: string, { rows, settings }: Context): Promise<string | undefined> {
  if (settings.SERVICE_ANSWER_CHECK !== 'warn') return undefined;
  let differing = 0;
  for await (const page of foundPages(rows, portfolio, 'done')) {
    differing += page.filter(({ result }) => result.record.differs).length;
  }
  if (differing === 0) return undefined;
  const answers = `${counted(differing, 'answer')} of the service ${differing === 1 ? 'differs' : 'differ'}`;
  return `${answers} from what was sent, and SERVICE_ANSWER_CHECK=warn took ${differing === 1 ? 'it' : 'them'}. The column problem of the results says how.`;
}
