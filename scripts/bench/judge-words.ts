import { LEAST_TOLD_S, type TimeLeft } from '../../src/pace/time-left.ts';

/** How right the time left was, over those moments of a run at which it is judged. */
export type WordFigures = {
  /** The middle of the range by what was really left, or the other way round where that is more: the worst of all. */
  worst: number;
  /** Shares of the moments: the truth was more than a quarter outside the range, or nothing was said. */
  outside: number;
  silent: number;
};

/** What was said at one moment. */
export type SaidTimeLeft = { atMs: number; left: TimeLeft | undefined };

type Span = { startedMs: number; finishedMs: number };

/** Before a tenth of the run is over, nobody can know. */
const JUDGED_FROM = 0.1;

/** Within a quarter. */
const WITHIN = 0.25;

/** Judges what was said by what became of it. */
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
