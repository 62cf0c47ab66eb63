import { counted } from '../../src/counted.ts';

/** What becomes of rows that were put back to their step: they go where workers run, which may be nowhere, unless their portfolio is paused. */
export function goingOn(rows: number, workers: number, isPaused = false): string {
  if (rows === 0) return 'no row goes on.';
  const who = `${counted(rows, 'row')} ${rows === 1 ? 'goes' : 'go'} on`;
  if (isPaused) return `${who} once somebody resumes the portfolio, which is paused.`;
  return workers === 0
    ? `${who} as soon as workers run; none runs now: start one with npx limitline work.`
    : `${who}; ${workers === 1 ? '1 worker process runs' : `${workers} worker processes run`}.`;
}
