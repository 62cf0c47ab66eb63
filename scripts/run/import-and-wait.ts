import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportPayload } from '../../jobs/import/import-portfolio.ts';
import type { Context } from '../../src/context.ts';
import { counted, grouped } from '../../src/counted.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import { callsLeft, funnelOf, rowCountOf, stoppedAt } from '../../src/ledger/portfolios/summary.ts';
import { rowsIn, SETTLED_STATES } from '../../src/ledger/schema/row.ts';
import { isOurMistake } from '../../src/ledger/schema/until-answered.ts';
import type { Service } from '../../src/open-service.ts';
import { describePace } from '../../src/pace/pace-words.ts';
import { timeLeftRange, timeLeftWords } from '../../src/pace/time-left.ts';
import type { Problem } from '../../src/portfolio/problem.ts';
import { isFinished, isLetGo } from '../ending/open-portfolios.ts';
import { importFile } from '../file/import-file.ts';
import type { Understanding } from '../file/understanding.ts';
import { type Extent, ofAccount, startProgress } from '../progress/progress.ts';
import { makeWorkFactsReader } from '../progress/work-facts.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** How often the end is checked: fast enough for a person, and cheap for Redis. */
const LOOK_EVERY_MS = 100;

/** How often the end is checked while all calls wait, perhaps for an hour, when nothing can end. */
const LOOK_WAITING_EVERY_MS = 1_000;

/** Faults of the whole file, and how it was read, if known. */
export type Found = { faults: Problem[]; read: Understanding | undefined };

type WaitDeps = {
  context: Context;
  service: Service;
  terminal: Terminal;
  stop: AbortSignal;
  /** Called once after an import without faults. By then at the latest, workers must run. */
  onImported: () => Promise<void>;
};

/**
 * Imports while the workers run, then waits until the portfolio is finished or paused. Ends at once when `stop` is aborted,
 * unless it waits for Redis.
 */
export async function importAndWait(
  payload: ImportPayload,
  { context, service, terminal, stop, onImported }: WaitDeps,
): Promise<Found> {
  let lines = 0;
  let state: PortfolioState | undefined;
  let left = '';
  const timeLeft = makeTimeLeftReader(context);
  const progress = startProgress(() => ofAccount(context.account, extentOf(lines, state, { service, left })));
  const onLines = (read: number) => {
    lines = read;
  };
  try {
    const { imported, read } = await importFile(payload, context, { say: terminal.say, onLines, stopping: stop });
    if (imported.faults.length === 0) await onImported();
    while (imported.faults.length === 0) {
      const answered = await orLast(() => context.approvals.answered(), undefined);
      state = await orLast(() => context.portfolios.read(payload.portfolio), state);
      if (state && answered && isOver(state, answered)) break;
      const seen = state;
      if (seen) left = (await orLast(() => timeLeft(seen), left)) ?? '';
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

/** Whether nothing goes on by itself any more. */
function isOver(state: PortfolioState, answered: readonly { portfolio: string }[]): boolean {
  return state.paused !== undefined || (isFinished(state) && !isLetGo(state, answered));
}

/** The current value, or the last one while Redis is away. */
async function orLast<T>(read: () => Promise<T>, last: T | undefined): Promise<T | undefined> {
  return read().catch((error: Error) => {
    if (isOurMistake(error)) throw error;
    return last;
  });
}

/**
 * The progress of a run: lines read, then settled rows, with the time left and what calls wait for. At 80 columns the end is cut off.
 *
 * @param left the time left in words, see {@link makeTimeLeftReader}
 */
export function extentOf(
  lines: number,
  state: PortfolioState | undefined,
  { service, left }: { service: Pick<Service, 'paceNow'>; left: string },
): Extent {
  const words = describePace(service.paceNow());
  const waiting = words === '' ? '' : `; ${words}`;
  if (!state) return { done: 0, total: undefined, words: `${counted(lines, 'line')} read${waiting}` };
  const { refused, held, awaiting } = state.states;
  const [settled, total] = [rowsIn(state.states, SETTLED_STATES), rowCountOf(state)];
  const waits = awaiting > 0 ? `, ${grouped(awaiting)} waiting for approval` : '';
  const trouble = [refused > 0 ? `, ${refused} refused` : '', held > 0 ? `, ${held} held` : '', waits].join('');
  const time = left === '' ? '' : `; ${left} left`;
  return {
    done: settled,
    total,
    words: `${grouped(settled)} of ${counted(total, 'row')} settled${trouble}${time}${waiting}`,
  };
}

/** How often the estimate of the time left is computed again. */
const READ_EVERY_MS = 1_000;

/**
 * Tells how long a portfolio will take, like its page in the console: `35 to 40 s`; empty where that is unknown, such as during an import.
 */
export function makeTimeLeftReader(context: Context): (state: PortfolioState) => Promise<string> {
  const workFactsOf = makeWorkFactsReader(context);
  let said = '';
  let saidAtMs = Number.NEGATIVE_INFINITY;
  return async (state) => {
    if (performance.now() - saidAtMs < READ_EVERY_MS) return said;
    saidAtMs = performance.now();
    const { causes, pace, samples, ownPerS, nowMs } = await workFactsOf(state);
    const calls = callsLeft(funnelOf(state, stoppedAt(causes)), state.states);
    said = pace && !state.importing ? timeLeftWords(timeLeftRange(calls, { pace, samples, ownPerS }, nowMs)) : '';
    return said;
  };
}
