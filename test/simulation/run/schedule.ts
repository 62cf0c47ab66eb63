/**
 * A deviation from the plain run, at a boundary of a process. It `gives way` to all others. It `dies before` the
 * action, or `dies after` it without the reply. It `asks twice`, because its reply was lost and the client sends it
 * again later. It `fails before` or `fails after` the action, as the client reports when no reply came in time, or
 * `fails early`, because the command reaches Redis only afterwards. It `stalls`: its jobs count as those of a dead
 * worker while it continues. It `stands still` for longer than any lease, and comes back. `Redis goes back` belongs to
 * no process: Redis is in its state of some seconds ago, as after a restart from a copy or a failover to a replica that
 * lagged.
 */
export type Deviation =
  | 'gives way'
  | 'dies before'
  | 'dies after'
  | 'asks twice'
  | 'fails before'
  | 'fails after'
  | 'fails early'
  | 'stalls'
  | 'stands still'
  | 'Redis goes back';

/** The deviations that are possible at a boundary. */
export const DEVIATIONS: readonly Deviation[] = [
  'gives way',
  'dies before',
  'dies after',
  'asks twice',
  'fails before',
  'fails after',
  'fails early',
  'stalls',
  'stands still',
];

/** Worlds that survive it have this deviation as well. */
export const GOES_BACK: Deviation = 'Redis goes back';

/**
 * The answer of the service to one call; by default it makes what was requested. With `too late`, the sender stands
 * still meanwhile, for longer than any lease.
 */
export type Answer =
  | 'made'
  | 'refused'
  | 'throttled'
  | '401'
  | '500, not made'
  | '500, made'
  | 'unreachable'
  | 'broken off, made'
  | 'not ours'
  | 'late, made'
  | 'too late, made'
  | 'too late, refused'
  | 'too late, 500'
  | 'the id of another'
  | 'never, made'
  | 'never, not made';

/**
 * Everything that decides a run besides its world: the order of processes, the deviations (`ann#7`: before the seventh
 * boundary of ann), and the answers of the service (`limit of Buyer 1 #1`: to its first call).
 */
export type Schedule = {
  order: readonly string[];
  deviations: Readonly<Record<string, Deviation>>;
  answers: Readonly<Record<string, Answer>>;
};

/** A schedule as one argument of the command line. */
export function scheduleText({ order, deviations, answers }: Schedule): string {
  return JSON.stringify({ order, deviations, answers });
}
