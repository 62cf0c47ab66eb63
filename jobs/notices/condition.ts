/** The result of one check of a condition; undefined where it cannot tell. */
export type Observation = 'bad' | 'well' | undefined;

type ConditionRules = {
  /** How long the condition must be bad before it is reported. */
  afterMs: number;
  /** How long it must be well before it counts as over. Shorter interruptions are one condition. */
  mendMs: number;
};

/** The result of judging a condition by one check. */
export type Judged = {
  /** The state to store; undefined where it has not changed. */
  state: string | undefined;
  /** What to report now, and how long the condition was bad. */
  tells?: { is: 'bad' | 'well'; forMs: number };
};

/**
 * The stored state between checks, shared by all processes. `doubtful`: bad, but too short to report. `mending`: well, but too
 * short to be over. `mark`: what the caller said of the last check that was not well, such as a counter of calls that got through.
 */
export type Condition = {
  is: 'well' | 'doubtful' | 'bad' | 'mending';
  /** Since when the condition is bad, in ms; for `mending`, since when it was bad. */
  sinceMs: number;
  /** When the condition was last seen bad; for `mending`, since when it is well. */
  seenMs: number;
  mark: string;
};

/**
 * The longest gap between two bad checks that counts as bad throughout, in ms. So checks by cron each quarter of an hour notice
 * what lasts. After a longer gap, the condition begins anew.
 */
const MOST_BETWEEN_MS = 30 * 60_000;

/**
 * Judges a condition by its stored state and the current check. Reports it once after it was bad for `afterMs`, and once after
 * it was well for `mendMs`.
 *
 * @param nowMs by Redis' clock, which all processes share
 */
export function judge(
  remembered: string | undefined,
  { observed, mark = '' }: { observed: Observation; mark?: string },
  nowMs: number,
  { afterMs, mendMs }: ConditionRules,
): Judged {
  const before = readCondition(remembered);
  const { sinceMs, seenMs } = before;
  const next = (condition: Partial<Condition>, tells?: Judged['tells']): Judged => {
    const state = conditionText({ ...before, ...condition });
    return { state: state === remembered ? undefined : state, ...(tells ? { tells } : {}) };
  };
  const bad = (beganMs: number): Judged => {
    // After a failover, the clock of the new server may be behind, so that `beganMs` lies in its future.
    const fromMs = Math.min(beganMs, nowMs);
    const forMs = nowMs - fromMs;
    const isLong = forMs >= afterMs;
    const condition = { is: isLong ? ('bad' as const) : ('doubtful' as const), sinceMs: fromMs, seenMs: nowMs, mark };
    return next(condition, isLong ? { is: 'bad', forMs } : undefined);
  };
  const isOld = nowMs - seenMs > MOST_BETWEEN_MS;
  switch (before.is) {
    case 'well':
      return observed === 'bad' ? bad(nowMs) : { state: undefined };
    case 'doubtful':
      if (observed === 'bad') return bad(isOld ? nowMs : sinceMs);
      return observed === 'well' || isOld ? next(WELL) : { state: undefined };
    case 'bad':
      if (observed === 'well') return mendMs === 0 ? over() : next({ is: 'mending', seenMs: nowMs, mark });
      return observed === 'bad' && mark !== before.mark ? next({ mark }) : { state: undefined };
    case 'mending':
      if (observed === 'bad') return next({ is: 'bad', mark });
      if (observed === undefined) return { state: undefined };
      return nowMs - seenMs >= mendMs ? over() : next({ mark });
  }

  function over(): Judged {
    const endedMs = before.is === 'mending' ? seenMs : nowMs;
    return next(WELL, { is: 'well', forMs: Math.max(0, endedMs - sinceMs) });
  }
}

const WELL: Condition = { is: 'well', sinceMs: 0, seenMs: 0, mark: '' };

/** Parses a stored state; well where there is none. */
export function readCondition(text: string | undefined): Condition {
  const [is, since, seen, mark = ''] = (text ?? '').split(' ');
  if (is !== 'doubtful' && is !== 'bad' && is !== 'mending') return WELL;
  return { is, sinceMs: Number(since), seenMs: Number(seen), mark };
}

function conditionText({ is, sinceMs, seenMs, mark }: Condition): string {
  return is === 'well' ? 'well' : [is, sinceMs, seenMs, ...(mark === '' ? [] : [mark])].join(' ');
}
