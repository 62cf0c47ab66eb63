import type { Glance } from '../../src/ledger/counts/glances.ts';
import type { SelfPause } from '../../src/ledger/schema/pause-reasons.ts';
import { judge } from './condition.ts';

/** The last known state of a portfolio, by subject; nothing if there was never anything to report. */
export type RememberedPortfolio = {
  settled?: string | undefined;
  paused?: string | undefined;
  failures?: string | undefined;
};

/** A change of a portfolio: its state before and now, and the news to send, if any. */
export type PortfolioChange = { subject: string; was: string; state: string; tells?: PortfolioNews };

export type PortfolioNews =
  | { is: 'settled'; atMs: number }
  | { is: 'paused'; why: SelfPause }
  | { is: 'failures'; failed: number; ended: number };

/**
 * If a portfolio settles again and again, it is reported at most every five minutes: the person who sends rows again sees the result at
 * once anyway.
 */
const SETTLED_EVERY_MS = 5 * 60_000;

/** Fewer answers say little: one failure among three is not a rate. */
const LEAST_ENDED = 20;

/** The share must fall to four fifths of the limit before it counts as below. Otherwise a share near the limit would be reported again and again. */
const BELOW_SHARE = 0.8;

/** While failed rows are sent again, the share of failures drops for some minutes. Only a longer drop counts as the end of the failures. */
const FAILURES_MEND_MS = 5 * 60_000;

/** The subjects of a portfolio's notices. The kind comes first, since the portfolio's name may be anything. */
export function subjectsOf(name: string): Required<{ [Subject in keyof RememberedPortfolio]: string }> {
  return { settled: `settled ${name}`, paused: `paused ${name}`, failures: `failures ${name}` };
}

/**
 * What changed in a portfolio since the last notice. Pure.
 *
 * @param sinceMs when the first check ran: what settled before is not reported. Undefined at the first check, which reports nothing
 * @param failuresAbove percent of answered rows; a higher share of failures is reported
 */
export function portfolioChanges(
  glance: Glance,
  remembered: RememberedPortfolio,
  { nowMs, sinceMs, failuresAbove }: { nowMs: number; sinceMs: number | undefined; failuresAbove: number },
): PortfolioChange[] {
  const subjects = subjectsOf(glance.name);
  const changes: PortfolioChange[] = [];
  const change = (subject: keyof RememberedPortfolio, state: string | undefined, tells?: PortfolioNews): void => {
    if (state === undefined || state === (remembered[subject] ?? '')) return;
    const news = tells && sinceMs !== undefined ? { tells } : {};
    changes.push({ subject: subjects[subject], was: remembered[subject] ?? '', state, ...news });
  };

  change(
    'paused',
    pausedState(glance, remembered.paused),
    glance.pausedItself && { is: 'paused', why: glance.pausedItself },
  );

  const { failed, ended } = failuresOf(glance);
  const failures = judge(remembered.failures, { observed: observedFailures(glance, failuresAbove) }, nowMs, {
    afterMs: 0,
    mendMs: FAILURES_MEND_MS,
  });
  const isTold = failures.tells?.is === 'bad';
  change('failures', failures.state, isTold ? { is: 'failures', failed, ended } : undefined);

  if (isSettledNews(glance, remembered.settled, nowMs, sinceMs)) {
    const atMs = glance.finishedMs ?? nowMs;
    change('settled', `settled ${atMs}`, { is: 'settled', atMs });
  }
  return changes;
}

/** A pause by a person is recorded too, so that a later automatic pause counts as new. If the portfolio never paused itself, nothing is recorded. */
function pausedState({ isPaused, pausedItself: why }: Glance, before: string | undefined): string | undefined {
  if (why) return why.is === 'refused alike' ? `refused alike ${why.step} ${why.status}` : why.is;
  if (isPaused) return before === undefined ? undefined : 'by a person';
  return before === undefined ? undefined : 'going on';
}

/** Counts refused and held rows, among the rows that were answered. */
function failuresOf({ done, refused, held }: Glance): { failed: number; ended: number } {
  return { failed: refused + held, ended: done + refused + held };
}

function observedFailures(glance: Glance, abovePercent: number): 'bad' | 'well' | undefined {
  const { failed, ended } = failuresOf(glance);
  if (ended < LEAST_ENDED) return undefined;
  const percent = (100 * failed) / ended;
  if (percent > abovePercent) return 'bad';
  return percent <= abovePercent * BELOW_SHARE ? 'well' : undefined;
}

function isSettledNews(
  { finishedMs }: Glance,
  before: string | undefined,
  nowMs: number,
  sinceMs: number | undefined,
): boolean {
  if (finishedMs === undefined || sinceMs === undefined || finishedMs <= sinceMs) return false;
  const [, told] = before?.split(' ') ?? [];
  return told === undefined || (Number(told) !== finishedMs && Math.abs(nowMs - Number(told)) >= SETTLED_EVERY_MS);
}
