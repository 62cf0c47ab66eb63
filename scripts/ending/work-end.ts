import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { counted } from '../../src/counted.ts';
import { isLimitlineError } from '../../src/errors.ts';
import { inTime } from '../../src/in-time.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import { openRows } from '../../src/ledger/portfolios/summary.ts';
import { isOurMistake } from '../../src/ledger/schema/until-answered.ts';
import type { Queues } from '../../src/queue/queues.ts';
import { type Duration, readDuration, startTimeLimit } from '../options/durations.ts';
import { DEADLINE_STATUS, PROBLEMS_STATUS } from '../process/exit-status.ts';
import { interruptedWords, type LookedAt, lookAtOpen, type Open } from './open-portfolios.ts';

/** Options that say when `work` ends. `untilSettled` is a portfolio's name, or true for all portfolios of the account. */
export type WorkEndOptions = { untilSettled?: string | true; deadline?: Duration };

/** How `work` ends: exit status, log entry, and a `fault` to throw. */
type WorkEnd = { status: number; facts: Record<string, unknown>; words: string; fault?: Error };

type LookedAtQueues = { queues: Pick<Queues, 'stoppedBy'> };

/** How often the end is checked. Once a second is enough, since only scripts wait for it, and a hundred workers may check. */
const LOOK_EVERY_MS = 1_000;

/** How long the last look at the deadline may take; a Redis that takes longer counts as not answering. */
const LAST_LOOK_MS = 2_000;

export function withWorkEndOptions(command: Command): Command {
  return command
    .option(
      '--until-settled [name]',
      'end when nothing is open, in this portfolio or in the whole account',
      portfolioName,
    )
    .option('--deadline <time>', 'end after this time, such as 2h, 90m or 1h30m, with status 3', readDuration);
}

/** The exit status of `work` after a signal. */
export const signalStatus = ({ untilSettled }: { untilSettled?: string | true | undefined }): number =>
  untilSettled === undefined ? 0 : PROBLEMS_STATUS;

/**
 * Waits for the end of `work`: a signal, nothing left open (if requested), or the deadline. With --until-settled, the status is
 * 0 if all is finished. It is 2 after a signal, or if only paused portfolios or queues, waiting approvals or interrupted
 * imports are left. A fault that every row would meet is thrown, because nobody may be there to fix it.
 */
export function waitForWorkEnd(
  { untilSettled, deadline }: WorkEndOptions,
  { signal, ...lookedAt }: { signal: Promise<string> } & LookedAt & LookedAtQueues,
) {
  const ended = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<WorkEnd>();
  const name = typeof untilSettled === 'string' ? untilSettled : undefined;
  const limit = startTimeLimit(deadline, () => {
    overdueEnd(name, lookedAt).then(({ facts, ...end }) =>
      resolve({ ...end, facts: { deadline: deadline?.text, ...facts } }),
    );
  });
  signal.then((name) =>
    resolve({
      status: signalStatus({ untilSettled }),
      facts: { signal: name },
      words: 'stopping: no new rows; calls in flight get up to 20 s',
    }),
  );
  return {
    /** Starts checking for the end, once workers run. */
    begin(): void {
      if (untilSettled === undefined) return;
      finishedEnd(name, lookedAt, ended.signal).then(resolve, reject);
    },
    /** Called for a fault that every row would meet. Ends `work` with --until-settled, and for `OLDER` always. */
    onCommonFault(fault: Error): void {
      if (untilSettled !== undefined || isLimitlineError(fault, 'OLDER')) {
        resolve({ status: PROBLEMS_STATUS, facts: {}, words: 'stopping: every row would meet this fault', fault });
      }
    },
    end: (): Promise<WorkEnd> =>
      promise.finally(() => {
        ended.abort();
        limit.forget();
      }),
  };
}

async function finishedEnd(name: string | undefined, lookedAt: LookedAt & LookedAtQueues, signal: AbortSignal) {
  for (let stillLooks = 0; ; ) {
    const open = await lookAtOpen(name, lookedAt).catch((error: Error) => {
      if (isOurMistake(error)) throw error;
      // While Redis is away, all calls wait, and so does this check.
      return undefined;
    });
    if (open?.going.length === 0) return endOf(open);
    const stoppedBy = open === undefined ? [] : await lookedAt.queues.stoppedBy().catch(() => []);
    stillLooks = stoppedBy.length === 0 ? 0 : stillLooks + 1;
    if (open && stillLooks === STILL_LOOKS) return stoppedEnd(open, stoppedBy);
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

/**
 * The number of checks in a row, a second apart, that find no job except in paused queues, until work counts as ended. In that time the
 * feeder, which runs each second, would have added jobs to other queues.
 */
const STILL_LOOKS = 3;

function stoppedEnd({ going }: Open, queues: readonly string[]): WorkEnd {
  const rows = going.reduce((sum, state) => sum + openRows(state), 0);
  const resuming = queues.map((queue) => `limitline resume --queue ${queue}`).join(' and ');
  const words = `stopping: ${counted(rows, 'row')} ${rows === 1 ? 'waits' : 'wait'}, since ${queues.length === 1 ? 'a queue is' : 'queues are'} paused. To go on: ${resuming}`;
  return { status: PROBLEMS_STATUS, facts: { pausedQueues: queues, rows }, words };
}

function endOf(open: Open): WorkEnd {
  const left = {
    paused: namesOf(open.paused),
    interrupted: namesOf(open.interrupted),
    awaiting: namesOf(open.awaiting),
  };
  const facts = Object.fromEntries(Object.entries(left).filter(([, names]) => names.length > 0));
  if (Object.keys(facts).length === 0) return NOTHING_OPEN;
  return { status: PROBLEMS_STATUS, facts, words: endWords(left) };
}

/** Sentences about what is left, and about what a person can do. */
function endWords({ paused, interrupted, awaiting }: Record<'paused' | 'interrupted' | 'awaiting', string[]>): string {
  const waits = awaiting.length === 0 ? [] : [awaitingWords(awaiting)];
  const unread = interrupted.length === 0 ? [] : [interruptedWords(interrupted)];
  if (paused.length === 0) return `stopping: no row is open, but ${[...waits, ...unread].join('; and ')}`;
  const what = paused.length === 1 ? 'a portfolio that is' : `${paused.length} portfolios that are`;
  const resuming = `${what} paused: go on with limitline resume, or give up with limitline cancel`;
  return `stopping: nothing is open but ${[resuming, ...waits, ...unread].join('; and ')}`;
}

function awaitingWords(names: readonly string[]): string {
  const which =
    names.length === 1 ? `portfolio ${names[0]} waits` : `${names.length} portfolios (${names.join(', ')}) wait`;
  return `${which} for another person's approval: limitline approve`;
}

const NOTHING_OPEN: WorkEnd = { status: 0, facts: {}, words: 'stopping: nothing is open any more' };

/** The end at the deadline. If Redis does not answer, rows may be left. */
async function overdueEnd(name: string | undefined, lookedAt: LookedAt): Promise<WorkEnd> {
  const over = 'stopping: the time of --deadline is over';
  const found = await inTime(lookAtOpen(name, lookedAt), LAST_LOOK_MS, () => undefined).catch(() => undefined);
  if (!found) return { status: DEADLINE_STATUS, facts: {}, words: over };
  const { going, paused, interrupted, awaiting } = found;
  const open = [...going, ...paused];
  if (open.length + interrupted.length + awaiting.length === 0) return NOTHING_OPEN;
  const rows = open.reduce((sum, state) => sum + openRows(state), 0);
  const unread = interrupted.length === 0 ? '' : `, and ${interruptedWords(namesOf(interrupted))}`;
  const left = `${counted(rows, 'row')} ${rows === 1 ? 'is' : 'are'} left${unread}`;
  return { status: DEADLINE_STATUS, facts: { rows }, words: `${over}; ${left}` };
}

const namesOf = (states: PortfolioState[]): string[] => states.map((state) => state.name);

function portfolioName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Give the name of a portfolio, or leave it out.');
  return text;
}
