import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { makeOwnPace } from '../../src/console/pages/portfolio/own-pace.ts';
import { openRows, outlookOf } from '../../src/console/pages/portfolio/portfolio-look.ts';
import type { Keys } from '../../src/ledger/keys.ts';
import type { PortfolioState } from '../../src/ledger/portfolio.ts';
import { describePace } from '../../src/pace/pace-words.ts';
import { makePaceReader } from '../../src/pace/read-pace.ts';
import { makePaceSamples, spansOf } from '../../src/pace/samples.ts';
import { type TimeLeft, timeLeftWords } from '../../src/pace/time-left.ts';

/** How right the time left was, over those moments of a run at which it is judged. */
export type WordFigures = {
  /** The middle of the range by what was really left, or the other way round where that is more: the worst of all. */
  worst: number;
  /** Shares of the moments: the truth was more than a quarter outside the range, or nothing was said. */
  outside: number;
  silent: number;
};

/** What was said at one moment. */
export type Said = { atMs: number; left: TimeLeft | undefined };

type Span = { startedMs: number; finishedMs: number };

/** Somebody who looks at a run now and then. */
const LOOK_EVERY_MS = 1_000;

/** Before a tenth of the run is over, nobody can know; so little is "less than 10 s", whatever it is. */
const JUDGED_FROM = 0.1;
const LEAST_S = 10;

/** Within a quarter. */
const WITHIN = 0.25;

/**
 * Notes each second what the product says of the time left of a portfolio, as its page of the console does, from the same
 * Redis; until it has finished, or `signal`.
 */
export async function listenToWords(
  name: string,
  {
    connection,
    keys,
    read,
    signal,
    hear,
  }: {
    connection: Redis;
    keys: Keys;
    read: (name: string) => Promise<PortfolioState>;
    signal: AbortSignal;
    hear?: ((words: string) => void) | undefined;
  },
): Promise<Said[]> {
  const readPace = makePaceReader(connection, keys.pace);
  const samples = makePaceSamples({ connection, paceKey: keys.pace, key: keys.paceSamples });
  const ownPace = makeOwnPace();
  const said: Said[] = [];
  while (!signal.aborted) {
    const [state, pace, kept] = await Promise.all([read(name), readPace(), samples.read()]);
    if (state.finishedMs !== undefined) break;
    if (state.startedMs !== undefined && openRows(state) > 0) {
      const nowMs = Date.now();
      const { company, document, limit } = state.calls;
      const ownPerS = ownPace.note(name, company + document + limit, nowMs);
      const { left } = outlookOf({ state, causes: [], pace, spans: spansOf(kept), ownPerS, nowMs });
      said.push({ atMs: nowMs, left });
      hear?.(`${timeLeftWords(left) || 'no time'} left; ${pace ? describePace(pace, nowMs) : ''}`);
    }
    await sleep(LOOK_EVERY_MS);
  }
  return said;
}

/** Judges what was said by what became of it. */
export function judgeWords(said: readonly Said[], { startedMs, finishedMs }: Span): WordFigures {
  const fromMs = startedMs + JUDGED_FROM * (finishedMs - startedMs);
  const judged = said.filter(({ atMs }) => atMs >= fromMs && atMs < finishedMs);
  const told = judged.flatMap(({ atMs, left }) => (left ? [{ ...left, trueS: (finishedMs - atMs) / 1_000 }] : []));
  const outside = told.filter(({ fromS, toS, trueS }) => {
    return (
      Math.max(trueS, LEAST_S) < (1 - WITHIN) * Math.max(fromS, LEAST_S) ||
      trueS > (1 + WITHIN) * Math.max(toS, LEAST_S)
    );
  });
  const ratios = told.map(({ fromS, toS, trueS }) => {
    const ratio = Math.max((fromS + toS) / 2, LEAST_S) / Math.max(trueS, LEAST_S);
    return Math.max(ratio, 1 / ratio);
  });
  return {
    worst: Math.max(1, ...ratios),
    outside: outside.length / Math.max(1, judged.length),
    silent: (judged.length - told.length) / Math.max(1, judged.length),
  };
}
