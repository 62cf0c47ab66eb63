/** What a look says of a condition: it is so, it is not, or this look cannot tell. */
export type Observation = 'bad' | 'well' | undefined;

export type ConditionRules = {
  /** Told of once it is bad for so long. */
  afterMs: number;
  /** Over once it is well for so long: what comes and goes within that is one. */
  mendMs: number;
};

/** What came of a look. */
export type Judged = {
  /** To be remembered; nothing where it is what is remembered already. */
  state: string | undefined;
  /** What is to be told now, and for how long it was bad. */
  tells?: { is: 'bad' | 'well'; forMs: number };
};

/**
 * What is remembered of a condition between looks, in whichever process: `doubtful` is bad for too short a time to be told of,
 * `mending` well for too short a time to be over. `mark` is what was counted at the last look while it was not well.
 */
export type Condition = {
  is: 'well' | 'doubtful' | 'bad' | 'mending';
  /** Since when it is bad, in ms; of `mending` since when it was. */
  sinceMs: number;
  /** When it was seen bad last; of `mending` since when it is well. */
  seenMs: number;
  mark: string;
};

/**
 * Between two looks at which it was bad nobody may have looked, or nobody was there to be bad. Up to half an hour it counts as bad
 * throughout, so that looks by cron every quarter of an hour see what lasts; beyond that it begins anew.
 */
const MOST_BETWEEN_MS = 30 * 60_000;

/**
 * Judges a condition by what is remembered of it and what is seen now. Pure. It is told of once, when it lasted for `afterMs`, and
 * once more when it is over for `mendMs`; whatever comes and goes in between is only remembered.
 *
 * @param nowMs of the server's clock, which several processes share
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
    // Another server may have taken over, with a clock that is behind.
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

/** What is remembered of a condition, read; well where nothing is. */
export function readCondition(text: string | undefined): Condition {
  const [is, since, seen, mark = ''] = (text ?? '').split(' ');
  if (is !== 'doubtful' && is !== 'bad' && is !== 'mending') return WELL;
  return { is, sinceMs: Number(since), seenMs: Number(seen), mark };
}

function conditionText({ is, sinceMs, seenMs, mark }: Condition): string {
  return is === 'well' ? 'well' : [is, sinceMs, seenMs, ...(mark === '' ? [] : [mark])].join(' ');
}
