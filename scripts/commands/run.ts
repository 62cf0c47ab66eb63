import type { Command } from 'commander';
import type { ImportPayload } from '../../jobs/import/import-portfolio.ts';
import { mustDescribeSessions } from '../../jobs/operators/ask-sessions.ts';
import { STOP_DEADLINE_MS, startWorkers } from '../../jobs/workers/workers.ts';
import { accountOf, readSettings } from '../../src/config.ts';
import { type Context, openContext } from '../../src/context.ts';
import { isLimitlineError, LimitlineError, messageOf } from '../../src/errors.ts';
import { inTime } from '../../src/in-time.ts';
import { OPEN_STATES, rowsIn } from '../../src/ledger/schema/row.ts';
import { makeWordsLog } from '../../src/log.ts';
import { openService } from '../../src/open-service.ts';
import { openByPortfolio, othersWords } from '../ending/open-portfolios.ts';
import { STANDARD_INPUT } from '../file/standard-input.ts';
import { announceAccount, findService } from '../opening/on-portfolio.ts';
import { type Duration, readDuration, startTimeLimit } from '../options/durations.ts';
import { type ImportOptions, importPayload, isToAsk, withImportOptions } from '../options/import-options.ts';
import { DEADLINE_STATUS, PROBLEMS_STATUS } from '../process/exit-status.ts';
import { sayCutOff, waitForSignal } from '../process/long-running.ts';
import { keepHeapSmall } from '../process/resources.ts';
import { type Found, importAndWait } from '../run/import-and-wait.ts';
import type { ResultsOptions } from '../run/next-steps.ts';
import type { Terminal } from '../terminal/terminal.ts';

const STOPPING =
  'limitline: stopping: waiting up to 20 s for calls under way. Ctrl-C again, after two seconds, cuts them off, and their rows will be held.';

/**
 * How far the heap may grow beyond live data, in percent. What a row needs lives long enough to reach the old generation.
 * Peak with 10,000 rows: 320 MiB without this, 225 with it, 205 with 50 % at more CPU time.
 */
const HEAP_GROWS_BY_PERCENT = 100;

/** `limitline run FILE`: imports, works until the portfolio is finished, and reports. A second run continues an unfinished one. */
export function register(program: Command, terminal: Terminal): void {
  withImportOptions(program.command('run'))
    .option('--results <dir>', 'folder for the results files (default: beside the file)')
    .option('--no-results', 'write no results files; report gives the results')
    .option(
      '--sessions',
      'then ask for a hosted session for each limit, and wait for the sessions (SERVICE_SESSION_FILE)',
    )
    .option('--deadline <time>', 'stop after this time, such as 2h, 90m or 1h30m, with status 3', readDuration)
    .action(async (file: string, options: RunOptions) => {
      process.exitCode = await runFile(file, options, terminal);
    });
}

type RunOptions = ImportOptions & ResultsOptions & { deadline?: Duration; sessions?: boolean };

async function runFile(file: string, options: RunOptions, terminal: Terminal): Promise<number> {
  keepHeapSmall(HEAP_GROWS_BY_PERCENT);
  const settings = readSettings();
  if (options.sessions) mustDescribeSessions(settings);
  const asks = isToAsk(file, options, accountOf(settings));
  const given = await importPayload(file, options, terminal.say);
  const log = makeWordsLog({ level: settings.LOG_LEVEL, account: accountOf(settings) });
  const stop = new AbortController();
  const { signal, forget } = waitForSignal(() => sayCutOff(terminal));
  signal.then((name) => {
    stop.abort(new LimitlineError('STOPPED', `${name} came`));
    terminal.say(STOPPING);
  });
  const limit = startTimeLimit(options.deadline, () => stop.abort(new LimitlineError('STOPPED', 'the time is over')));
  const context = await openContext({ settings, log, saysOlder: false, awaitsData: stop.signal }).catch((error) => {
    if (limit.isOver() && isLimitlineError(error, 'STOPPED')) return messageOf(error);
    throw error;
  });
  if (typeof context === 'string') {
    forget();
    terminal.say(`limitline: ${context}`);
    if (terminal.json) terminal.print('', { error: context, status: DEADLINE_STATUS });
    return DEADLINE_STATUS;
  }
  try {
    await announceAccount(context, terminal.say);
    await context.marks.check();
    let payload = given;
    if (asks) {
      const { lookAndAsk, sayNothingDone } = await import('../look/look.ts');
      const looked = await lookAndAsk(given, { context, terminal, stop: stop.signal, sends: true });
      if (looked === undefined) {
        const status = sayNothingDone({ account: context.account, portfolio: given.portfolio }, terminal);
        return limit.isOver() ? DEADLINE_STATUS : status;
      }
      payload = looked;
    } else {
      const others = (await openByPortfolio(context)).filter(({ portfolio }) => portfolio !== given.portfolio);
      if (others.length > 0) terminal.say(`limitline: this run also sends ${othersWords(others).join(', ')}.`);
    }
    const { found, lacksLinks } = await work(payload, { context, terminal, stop, asks: options.sessions === true });
    const { portfolio } = payload;
    const run = { portfolio, path: file === STANDARD_INPUT ? null : file, documents: options.documents };
    const { results } = options;
    // Loaded late, because loading it earlier would delay the first call.
    const { conclude } = await import('../run/conclude.ts');
    const status = await conclude(run, found, { context, terminal, stop: stop.signal, limit, results });
    if (status !== 0 || !lacksLinks) return status;
    return limit.isOver() ? DEADLINE_STATUS : PROBLEMS_STATUS;
  } finally {
    forget();
    limit.forget();
    await context.close();
  }
}

/**
 * Imports the file, and works until the portfolio is finished or `stop` is aborted. `lacksLinks`: the option --sessions asked for hosted
 * sessions, and some limit has no link of one.
 *
 * @throws LimitlineError `CREDENTIALS` where the service refuses them; `OLDER` where Redis is older than what was sent
 */
async function work(
  payload: ImportPayload,
  { context, terminal, stop, asks }: { context: Context; terminal: Terminal; stop: AbortController; asks: boolean },
): Promise<{ found: Found; lacksLinks: boolean }> {
  const address = await findService(context.settings, context.log, terminal.say);
  if (address.proxy !== undefined) terminal.say(`limitline: calls go through the proxy ${address.proxy}.`);
  const service = openService(context, address.url);
  const begin = () => startWorkers(context, service, (fault) => stop.abort(fault));
  // Rows of an earlier import that wait may be replaced by this file, and if only some rows go first, the import chooses them. So workers
  // start after the import then.
  const { states } = await context.portfolios.read(payload.portfolio);
  const isAtOnce = payload.first === undefined && rowsIn(states, OPEN_STATES) === 0;
  let workers = isAtOnce ? begin() : undefined;
  await workers;
  const onImported = async () => {
    if (!stop.signal.aborted) workers ??= begin();
    await workers;
  };
  const imported = importAndWait(payload, { context, service, terminal, stop: stop.signal, onImported });
  let lacksLinks = asks;
  const working = !asks
    ? imported
    : imported.then(async (done) => {
        const { askAndWait } = await import('../run/ask-and-wait.ts');
        if (done.faults.length === 0 && !stop.signal.aborted)
          lacksLinks = !(await askAndWait(payload.portfolio, { context, terminal, stop: stop.signal }));
        return done;
      });
  let found: Found = { faults: [], read: undefined };
  try {
    // The import may be waiting for Redis, and then does not notice the signal.
    found = await Promise.race([working, onAbort(stop.signal, found)]);
  } finally {
    const ended = working.catch(() => {});
    await Promise.all([(await workers)?.stop(), inTime(ended, STOP_DEADLINE_MS, () => {})]);
    await address.close();
  }
  const { reason } = stop.signal;
  if (isLimitlineError(reason, 'CREDENTIALS', 'OLDER')) throw reason;
  return { found, lacksLinks };
}

function onAbort<T>(signal: AbortSignal, answer: T): Promise<T> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(answer);
    signal.addEventListener('abort', () => resolve(answer), { once: true });
  });
}
