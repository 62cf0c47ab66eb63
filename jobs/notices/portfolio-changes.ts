import type { Glance } from '../../src/ledger/counts/glances.ts';
import type { SelfPause } from '../../src/ledger/schema/pause-reasons.ts';
import { judge } from './condition.ts';

/** The stored states of a portfolio's conditions; missing where there was nothing to report yet. */
export type RememberedPortfolio = {
  settled?: string | undefined;
  paused?: string | undefined;
  failures?: string | undefined;
};

export type PortfolioChange = { subject: string; was: string; state: string; tells?: PortfolioNews };

export type PortfolioNews =
  | { is: 'settled'; atMs: number }
  | { is: 'paused'; why: SelfPause }
  | { is: 'failures'; failed: number; ended: number };

/** The least time between notices of one portfolio that finishes repeatedly. A person who retries rows sees the results anyway. */
const SETTLED_EVERY_MS = 5 * 60_000;

/** The fewest ended rows of a portfolio from which a share of failures is computed. */
const LEAST_ENDED = 20;

/**
 * After a notice about failures, the share of failed rows must fall to this part of its limit to count as below, so that it does not
 * alternate at the limit.
 */
const BELOW_SHARE = 0.8;

/**
 * How long the share of failed rows must stay below its limit before failures count as over. Rows that are being retried do not count as
 * failures, and that alone is no improvement.
 */
const FAILURES_MEND_MS = 5 * 60_000;

/** The subjects of a portfolio's notices. The kind comes first, because a name may be anything. */
export function subjectsOf(name: string): Required<{ [Subject in keyof RememberedPortfolio]: string }> {
  return { settled: `settled ${name}`, paused: `paused ${name}`, failures: `failures ${name}` };
}

/**
 * The changes of a portfolio since the last pass.
 *
 * @param sinceMs when the first pass was: what finished earlier is no news; undefined in the first pass, which only stores states
 * @param failuresAbove percent of failed rows among answered ones above which failures are reported
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

/** The stored state of a pause. A pause by a person is stored, too, so that a later automatic pause is reported as new. */
function pausedState({ isPaused, pausedItself: why }: Glance, before: string | undefined): string | undefined {
  if (why) return why.is === 'refused alike' ? `refused alike ${why.step} ${why.status}` : why.is;
  if (isPaused) return before === undefined ? undefined : 'by a person';
  return before === undefined ? undefined : 'going on';
}

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
