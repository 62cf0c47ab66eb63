import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { Context } from '../../src/context.ts';
import { isOurMistake } from '../../src/ledger/persist.ts';
import { lookAtOpen } from '../settled.ts';
import { type Duration, duration } from '../terminal/durations.ts';
import { DEADLINE_STATUS, startTimeLimit } from '../time-limit.ts';
import { PROBLEMS_STATUS } from './check.ts';

/** What `work` is told of its end; `untilSettled` names a portfolio, or is true for the whole account. */
export type WorkEndOptions = { untilSettled?: string | true; deadline?: Duration };

/** How `work` ended: its status, and what the log says of it. `fault` is for the command to end with. */
export type WorkEnd = { status: number; facts: Record<string, unknown>; words: string; fault?: Error };

/** Nothing waits for the end but a script, and a hundred workers may be looking. */
const LOOK_EVERY_MS = 1_000;

export function withWorkEndOptions(command: Command): Command {
  return command
    .option(
      '--until-settled [name]',
      'end when nothing is open, of this portfolio or of the whole account',
      portfolioName,
    )
    .option('--deadline <time>', 'end after so much time, such as 2h, 90m or 1h30m; with status 3', duration);
}

/**
 * Waits for what ends `work`: a signal; that nothing is open, where that is asked for; or that its time is over. Who works
 * until all is settled ends with 0 then, with 2 where only paused portfolios are left or a signal came before, and with the
 * fault that every row would meet, since nobody may be there to mend it.
 */
export function waitForWorkEnd(
  { untilSettled, deadline }: WorkEndOptions,
  { signal, portfolios }: { signal: Promise<string>; portfolios: Context['portfolios'] },
) {
  const ended = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<WorkEnd>();
  const limit = startTimeLimit(deadline, () =>
    resolve({ status: DEADLINE_STATUS, facts: { deadline: deadline?.text }, words: 'stopping: the time is over' }),
  );
  signal.then((name) =>
    resolve({
      status: untilSettled === undefined ? 0 : PROBLEMS_STATUS,
      facts: { signal: name },
      words: 'stopping: no new rows; calls in flight get up to 20 s',
    }),
  );
  return {
    /** Begins to look for the end, once there are workers. */
    begin(): void {
      if (untilSettled === undefined) return;
      const name = untilSettled === true ? undefined : untilSettled;
      settledEnd(name, portfolios, ended.signal).then(resolve, reject);
    },
    /** A fault that every row would meet. */
    onLineFault(fault: Error): void {
      if (untilSettled !== undefined) {
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

async function settledEnd(name: string | undefined, portfolios: Context['portfolios'], signal: AbortSignal) {
  for (;;) {
    const open = await lookAtOpen(name, portfolios).catch((error: Error) => {
      if (isOurMistake(error)) throw error;
      // While Redis is away the line waits, and so does who watches it.
      return undefined;
    });
    if (open?.going.length === 0) return endOf(open.paused.map((state) => state.name));
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

function endOf(paused: string[]): WorkEnd {
  if (paused.length === 0) return { status: 0, facts: {}, words: 'stopping: nothing is open any more' };
  const what = paused.length === 1 ? 'a portfolio that is' : `${paused.length} portfolios that are`;
  return {
    status: PROBLEMS_STATUS,
    facts: { paused },
    words: `stopping: nothing is open but ${what} paused; go on with limitline resume, or give up with limitline cancel`,
  };
}

function portfolioName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Give the name of a portfolio, or leave it out.');
  return text;
}
