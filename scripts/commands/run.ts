import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { ImportPayload } from '../../jobs/import/import-portfolio.ts';
import { within } from '../../jobs/workers/deadline.ts';
import { STOP_DEADLINE_MS, startWorkers } from '../../jobs/workers/workers.ts';
import { accountOf, readSettings } from '../../src/config.ts';
import { type Context, openContext, openService, type Service } from '../../src/context.ts';
import { counted, grouped } from '../../src/counted.ts';
import { isLimitlineError, LimitlineError } from '../../src/errors.ts';
import { isOurMistake, untilStopped } from '../../src/ledger/persist.ts';
import type { PortfolioState } from '../../src/ledger/portfolios.ts';
import { type Summary, summarize } from '../../src/ledger/summary.ts';
import { makeWordsLog } from '../../src/log.ts';
import { describePace, makeTimeLeft } from '../../src/pace/pace-words.ts';
import type { Problem } from '../../src/portfolio/problem.ts';
import { hintedStatus } from '../../src/service/meaning.ts';
import { announceAccount } from '../announce-account.ts';
import { findService } from '../service-address.ts';
import { isSettled, openRows } from '../settled.ts';
import { waitForSignal } from '../signals.ts';
import { INPUT_NAME, STANDARD_INPUT } from '../standard-input.ts';
import { type Duration, duration } from '../terminal/durations.ts';
import { type Extent, ofAccount, startProgress } from '../terminal/progress.ts';
import { summaryTable } from '../terminal/summary-table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Understanding } from '../terminal/understanding.ts';
import { DEADLINE_STATUS, startTimeLimit, type TimeLimit } from '../time-limit.ts';
import { PROBLEMS_STATUS } from './check.ts';
import { type ImportOptions, importFile, importPayload, withImportOptions } from './import-options.ts';
import { filesOf, leaveResultsOf, type ResultsOptions, type RunOf, sayLastWords } from './last-words.ts';
import { isToAsk, lookAndAsk, sayNothingDone } from './look.ts';

/** How often the portfolio is looked at for its end; a person does not notice, and Redis neither. */
const LOOK_EVERY_MS = 100;
/** While the line waits, for an hour perhaps, nothing ends. */
const LOOK_WAITING_EVERY_MS = 1_000;

const STOPPING =
  'limitline: stopping: calls under way are waited for, up to 20 s. Ctrl-C again, two seconds later, cuts them off, and their rows are held.';

/** Who stops a run wants its end more than its report, which is there for the asking later. */
const LAST_REPORT_MS = 2_000;

/** `limitline run FILE`: import, work until the portfolio settles, report. Running it again goes on where it ended. */
export function register(program: Command, terminal: Terminal): void {
  withImportOptions(program.command('run'))
    .description('import a file, work until the portfolio settles, and report')
    .option('--results <dir>', 'leave the results there (default: beside the file)')
    .option('--no-results', 'leave no results: report gives them')
    .option(
      '--deadline <time>',
      'stop when so much time is over, such as 2h, 90m or 1h30m; ends with status 3',
      duration,
    )
    .action(async (file: string, options: RunOptions) => {
      process.exitCode = await runFile(file, options, terminal);
    });
}

export type RunOptions = ImportOptions & ResultsOptions & { deadline?: Duration };

/** Does what `run` does, and answers its exit status. */
export async function runFile(file: string, options: RunOptions, terminal: Terminal): Promise<number> {
  const settings = readSettings();
  const asks = isToAsk(file, options, accountOf(settings));
  const given = await importPayload(file, options, terminal.say);
  const log = makeWordsLog({ level: settings.LOG_LEVEL, account: accountOf(settings) });
  const stop = new AbortController();
  const { signal, forget } = waitForSignal();
  signal.then((name) => {
    stop.abort(new LimitlineError('STOPPED', `${name} came`));
    terminal.say(STOPPING);
  });
  const limit = startTimeLimit(options.deadline, () => stop.abort(new LimitlineError('STOPPED', 'the time is over')));
  const context = await openContext({ settings, log });
  try {
    await announceAccount(context, terminal.say);
    const payload = asks ? await lookAndAsk(given, { context, terminal, stop: stop.signal }) : given;
    if (payload === undefined) {
      const status = sayNothingDone({ account: context.account, portfolio: given.portfolio }, terminal);
      return limit.isOver() ? DEADLINE_STATUS : status;
    }
    const address = await findService(settings, log, terminal.say);
    if (address.proxy !== undefined) terminal.say(`limitline: calls go through the proxy ${address.proxy}.`);
    const service = openService(context, address.url);
    const workers = await startWorkers(context, service, (fault) => stop.abort(fault));
    let found: Found = { faults: [], read: undefined };
    const working = importAndWait(payload, { context, service, terminal, stop: stop.signal });
    try {
      // An import that waits for Redis does not hear of the signal.
      found = await Promise.race([working, onAbort(stop.signal, found)]);
    } finally {
      await Promise.all([
        workers.stop(),
        within(
          STOP_DEADLINE_MS,
          working.catch(() => {}),
        ),
      ]);
      await address.close();
    }
    if (isLimitlineError(stop.signal.reason, 'CREDENTIALS')) throw stop.signal.reason;
    const run = {
      portfolio: payload.portfolio,
      path: file === STANDARD_INPUT ? null : file,
      documents: options.documents,
    };
    const { results } = options;
    return await conclude(run, found, { context, terminal, stop: stop.signal, limit, results });
  } finally {
    forget();
    limit.forget();
    await context.close();
  }
}

type RunDeps = { context: Context; service: Service; terminal: Terminal; stop: AbortSignal };

/** What is wrong with the file as a whole, and how it was read, as far as that was heard of. */
type Found = { faults: Problem[]; read: Understanding | undefined };

/** Imports while the workers work already, then waits for the last row. */
async function importAndWait(payload: ImportPayload, { context, service, terminal, stop }: RunDeps): Promise<Found> {
  let lines = 0;
  let state: PortfolioState | undefined;
  const timeLeft = makeTimeLeft();
  const progress = startProgress(() => ofAccount(context.account, extentOf(lines, state, { service, timeLeft })));
  const onLines = (read: number) => {
    lines = read;
  };
  try {
    const { imported, read } = await importFile(payload, context, { say: terminal.say, onLines, stopping: stop });
    while (imported.faults.length === 0) {
      state = await look(payload.portfolio, state, context);
      if (state && (isSettled(state) || state.paused !== undefined)) break;
      const waits = (service.pace.state().blocked?.untilMs ?? 0) > Date.now();
      await sleep(waits ? LOOK_WAITING_EVERY_MS : LOOK_EVERY_MS, undefined, { signal: stop });
    }
    return { faults: imported.faults, read };
  } catch (error) {
    if (!stop.aborted) throw error;
    return { faults: [], read: undefined };
  } finally {
    progress.stop();
  }
}

/** The portfolio as it is now, or as it was where Redis is away: then the line waits, and so does who watches it. */
async function look(portfolio: string, last: PortfolioState | undefined, { portfolios }: Context) {
  return portfolios.read(portfolio).catch((error: Error) => {
    if (isOurMistake(error)) throw error;
    return last;
  });
}

type ConcludeDeps = ResultsOptions & { context: Context; terminal: Terminal; stop: AbortSignal; limit: TimeLimit };

/** Prints the report, says what is left to do, and answers the exit status. */
async function conclude(
  run: RunOf,
  { faults, read }: Found,
  { context, terminal, stop, limit, results }: ConcludeDeps,
): Promise<number> {
  const { portfolio } = run;
  if (faults.length > 0) {
    terminal.print(`Nothing was imported: ${run.path ?? INPUT_NAME} cannot be used as it is.`, {
      portfolio,
      problems: faults,
      ...read,
    });
    return PROBLEMS_STATUS;
  }
  const report = await lastReport(portfolio, context, stop);
  if (!report) {
    terminal.say('limitline: stopped while Redis does not answer; the same command goes on from here.');
    return limit.isOver() ? DEADLINE_STATUS : PROBLEMS_STATUS;
  }
  const { summary, state, notHolding } = report;
  if (summary) terminal.answer(summaryTable(summary, state));
  // A run whose time is over has ended by itself; at a signal somebody waits for the end.
  const endedItself = !stop.aborted || limit.isOver();
  const leaving = { results, context, stop: limit.isOver() ? new AbortController().signal : stop };
  const left = summary && endedItself ? await leaveResultsOf(run, summary, leaving) : undefined;
  if (summary && terminal.json) terminal.print('', { ...summary, ...read, files: filesOf(left) });
  if (summary && endedItself) sayLastWords(run, { summary, left }, terminal);
  if (notHolding !== undefined) terminal.say(notHolding);
  // The time may be over before the import has so much as begun.
  if (limit.isOver() && !(summary && isAllDone(state))) {
    terminal.say(overdueWords(limit, summary ? state : { ...state, interrupted: true }));
    return DEADLINE_STATUS;
  }
  if (stop.aborted && !limit.isOver()) {
    terminal.say('limitline: stopped before the end; the same command goes on from here.');
    return PROBLEMS_STATUS;
  }
  if (state.paused !== undefined) {
    terminal.say(
      `limitline: paused: ${state.paused}. Go on with: npx limitline resume "${portfolio}", or give up with: npx limitline cancel "${portfolio}"`,
    );
    return PROBLEMS_STATUS;
  }
  return summary && allWell(summary, state) ? 0 : PROBLEMS_STATUS;
}

/** Enough held rows to know with which statuses the service, or something before it, answered them. */
const HELD_LOOKED_AT = 1_000;

/** Where rows are held by answers that a person may know to mean "nothing made", which setting says so. */
async function whatWouldNotHold(portfolio: string, { rows, settings }: Context): Promise<string | undefined> {
  const held = await rows.inState(portfolio, 'held', { count: HELD_LOOKED_AT });
  const results = await rows.read(held.map(({ row }) => row));
  const statuses = new Set(results.map((result) => hintedStatus(result?.problem?.message ?? '')));
  const named = [...statuses].filter((status) => status !== undefined).sort();
  if (named.length === 0) return undefined;
  const setting = `SERVICE_NOT_MADE=${[...settings.SERVICE_NOT_MADE, ...named].join(',')}`;
  return `limitline: rows are held since the service answered ${named.join(', ')}, which may or may not mean that nothing was made. If it is known to make nothing then, ${setting} lets such calls be sent again by themselves from now on.`;
}

type Report = { summary: Summary | undefined; state: PortfolioState; notHolding: string | undefined };

/** What is said at the end. Nothing where the command was stopped and Redis does not answer; else it is waited for. */
async function lastReport(portfolio: string, context: Context, stop: AbortSignal): Promise<Report | undefined> {
  const report = async (): Promise<Report> => {
    const [summary, state] = await Promise.all([summarize(portfolio, context), context.portfolios.read(portfolio)]);
    const notHolding = summary && summary.states.held > 0 ? await whatWouldNotHold(portfolio, context) : undefined;
    return { summary, state, notHolding };
  };
  try {
    if (!stop.aborted) return await untilStopped(context.persist, stop)('report', report);
    // Listened to in any case, since what it rejects with would end the process.
    const last = report();
    const inTime = within(LAST_REPORT_MS, last).catch(() => false);
    return context.ledger.status === 'ready' && (await inTime) ? await last : undefined;
  } catch (error) {
    if (isLimitlineError(error, 'STOPPED')) return undefined;
    throw error;
  }
}

function onAbort<T>(signal: AbortSignal, answer: T): Promise<T> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(answer);
    signal.addEventListener('abort', () => resolve(answer), { once: true });
  });
}

/** Whether a run that has to end now has nothing to come back for. */
function isAllDone(state: PortfolioState): boolean {
  return isSettled(state) && !state.interrupted;
}

function overdueWords({ text }: TimeLimit, { states, interrupted }: PortfolioState): string {
  const left = openRows(states);
  const rows = `${left.toLocaleString('en')} ${left === 1 ? 'row is' : 'rows are'} left`;
  const unread = interrupted ? ', and the file was not read to its end' : '';
  return `limitline: the time of --deadline ${text} is over; ${rows}${unread}. The same command goes on from here.`;
}

function allWell({ rows, states, replaced, invalid }: Summary, { supplier }: PortfolioState): boolean {
  return invalid === 0 && states.done + states.skipped + replaced === rows && (!supplier || supplier.id !== undefined);
}

function extentOf(
  lines: number,
  state: PortfolioState | undefined,
  { service, timeLeft }: { service: Service; timeLeft: ReturnType<typeof makeTimeLeft> },
): Extent {
  const words = describePace(service.paceNow());
  const waiting = words === '' ? '' : `; ${words}`;
  if (!state) return { done: 0, total: undefined, words: `${counted(lines, 'line')} read${waiting}` };
  const { queued, company, documents, limit, done, refused, held, skipped, cancelled } = state.states;
  const ended = done + refused + held + skipped + cancelled;
  const total = ended + openRows(state.states);
  const trouble = [refused > 0 ? `, ${refused} refused` : '', held > 0 ? `, ${held} held` : ''].join('');
  // A row makes two calls as a rule, for the company and for the limit; those with documents make the guess a low one.
  const left = timeLeft(2 * (queued + company + documents) + limit, service.paceNow());
  const time = left === '' || state.importing ? '' : `; some ${left} left`;
  return {
    done: ended,
    total,
    words: `${grouped(ended)} of ${counted(total, 'row')} ended${trouble}${waiting}${time}`,
  };
}
