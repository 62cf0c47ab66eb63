import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { workLeftOf } from '../../src/console/pages/portfolio/portfolio-look.ts';
import { callsSent, type PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import { openRows } from '../../src/ledger/portfolios/summary.ts';
import type { Keys } from '../../src/ledger/schema/keys.ts';
import { describePace, makeOwnPace } from '../../src/pace/pace-words.ts';
import { makePaceReader } from '../../src/pace/read-pace.ts';
import { makePaceSamples } from '../../src/pace/samples.ts';
import { LEAST_TOLD_S, type TimeLeft, timeLeftWords } from '../../src/pace/time-left.ts';

/** The interval between two readings of the time left. */
const LOOK_EVERY_MS = 1_000;

/**
 * Reads the estimate of a portfolio's time left each second, as its page in the console computes it, from the same Redis. Ends when the
 * portfolio has finished, or with `signal`.
 */
export async function listenToWords(
  name: string,
  given: {
    connection: Redis;
    keys: Keys;
    read: (name: string) => Promise<PortfolioState>;
    signal: AbortSignal;
    hear?: ((words: string) => void) | undefined;
  },
): Promise<SaidTimeLeft[]> {
  const { connection, keys, read, signal, hear } = given;
  const readPace = makePaceReader(connection, keys.pace);
  const samples = makePaceSamples(connection, { paceKey: keys.pace, key: keys.paceSamples, madeKey: keys.account });
  const ownPace = makeOwnPace();
  const said: SaidTimeLeft[] = [];
  while (!signal.aborted) {
    const [state, pace, kept] = await Promise.all([read(name), readPace(), samples.read()]);
    if (state.finishedMs !== undefined) break;
    if (state.startedMs !== undefined && openRows(state) > 0) {
      const nowMs = Date.now();
      const ownPerS = ownPace.note(name, callsSent(state), nowMs, state.startedMs);
      const { left } = workLeftOf({ state, causes: [], pace, samples: kept, ownPerS, nowMs });
      said.push({ atMs: nowMs, left });
      hear?.(`${timeLeftWords(left) || 'no time'} left; ${pace ? describePace(pace, nowMs) : ''}`);
    }
    await sleep(LOOK_EVERY_MS);
  }
  return said;
}

/** How right the estimates of the time left were, over the moments of a run at which they are judged. */
export type WordFigures = {
  /** The largest factor, 1 or more, between the true time left and the middle of an estimate's range, whichever of the two was longer. */
  worst: number;
  /**
   * Two shares of the moments: `outside`, where the truth was more than a quarter outside the range; and `silent`, where there was no
   * estimate.
   */
  outside: number;
  silent: number;
};

/** The estimate at one moment; undefined if there was none. */
export type SaidTimeLeft = { atMs: number; left: TimeLeft | undefined };

type Span = { startedMs: number; finishedMs: number };

/** The part of a run, at its beginning, whose estimates are not judged, because nobody can know the time left so early. */
const JUDGED_FROM = 0.1;

/** The part by which the true time left may be outside of the estimate's range, and the estimate still counts as right. */
const WITHIN = 0.25;

/** Compares each estimate of the time left with the time that the run really took. */
export function judgeWords(said: readonly SaidTimeLeft[], { startedMs, finishedMs }: Span): WordFigures {
  const fromMs = startedMs + JUDGED_FROM * (finishedMs - startedMs);
  const judged = said.filter(({ atMs }) => atMs >= fromMs && atMs < finishedMs);
  const told = judged.flatMap(({ atMs, left }) => (left ? [{ ...left, trueS: (finishedMs - atMs) / 1_000 }] : []));
  const outside = told.filter(({ fromS, toS, trueS }) => {
    return (
      Math.max(trueS, LEAST_TOLD_S) < (1 - WITHIN) * Math.max(fromS, LEAST_TOLD_S) ||
      trueS > (1 + WITHIN) * Math.max(toS, LEAST_TOLD_S)
    );
  });
  const ratios = told.map(({ fromS, toS, trueS }) => {
    const ratio = Math.max((fromS + toS) / 2, LEAST_TOLD_S) / Math.max(trueS, LEAST_TOLD_S);
    return Math.max(ratio, 1 / ratio);
  });
  return {
    worst: Math.max(1, ...ratios),
    outside: outside.length / Math.max(1, judged.length),
    silent: (judged.length - told.length) / Math.max(1, judged.length),
  };
}
