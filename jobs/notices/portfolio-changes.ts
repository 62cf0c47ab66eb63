import type { Glance } from '../../src/ledger/counts/glances.ts';
import type { SelfPause } from '../../src/ledger/schema/pause-reasons.ts';
import { judge } from './condition.ts';

/** What is remembered of a portfolio, by subject; nothing of one that there was nothing to tell of yet. */
export type RememberedPortfolio = {
  settled?: string | undefined;
  paused?: string | undefined;
  failures?: string | undefined;
};

/** What is to be remembered of a portfolio, by the state that it was judged by, and what is to be told with it. */
export type PortfolioChange = { subject: string; was: string; state: string; tells?: PortfolioNews };

export type PortfolioNews =
  | { is: 'settled'; atMs: number }
  | { is: 'paused'; why: SelfPause }
  | { is: 'failures'; failed: number; ended: number };

/**
 * Who sends a row again sees at once what becomes of it. So a portfolio that settles again and again is told of every five
 * minutes, with how it stands then.
 */
const SETTLED_EVERY_MS = 5 * 60_000;

/** Fewer answers say little of the rest: one that failed among three is no share. */
const LEAST_ENDED = 20;

/** The share has to fall to four fifths of the limit before it counts as below, so that one at the limit does not come and go. */
const BELOW_SHARE = 0.8;

/** Rows that are sent again are no failures meanwhile: for some minutes that is no end of it. */
const FAILURES_MEND_MS = 5 * 60_000;

/** What one portfolio's notices are about, by name. The kind stands first, since a name may be anything. */
export function subjectsOf(name: string): Required<{ [Subject in keyof RememberedPortfolio]: string }> {
  return { settled: `settled ${name}`, paused: `paused ${name}`, failures: `failures ${name}` };
}

/**
 * What changed of a portfolio since it was told of last. Pure.
 *
 * @param sinceMs when somebody looked for the first time: what settled before that is nobody's news; nothing at that very look,
 *   which only remembers
 * @param failuresAbove percent of the rows that were answered, above which their failures are told of
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

/** A person's own pause is remembered too: the next by itself is another. Of one that never paused nothing is. */
function pausedState({ isPaused, pausedItself: why }: Glance, before: string | undefined): string | undefined {
  if (why) return why.is === 'refused alike' ? `refused alike ${why.step} ${why.status}` : why.is;
  if (isPaused) return before === undefined ? undefined : 'by a person';
  return before === undefined ? undefined : 'going on';
}

/** Rows that the service said no to, or of which nobody knows, among those that were answered. */
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
