/**
 * What is done otherwise than by default, at the boundary at which a process stands:
 * `gives way` to all others; `dies before` it or `dies after` it, its reply unheard; `asks twice`, since its reply was lost and the client
 * sends it again later; `fails before` it was done, or `fails after` that, as the client says where no reply came in
 * time, or `fails early`, since the command reaches Redis only after that; `stalls`: its
 * jobs are taken for those of a dead worker while it goes on; `stands still` for longer than any lease, and comes back. `Redis goes back` is no
 * process' own: it is what it was some seconds before, as behind a restart from a copy or a failover to a replica that lagged.
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

/** Which of them may be done at a boundary. */
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

/** Worlds that live through it have this one as well. */
export const GOES_BACK: Deviation = 'Redis goes back';

/** How the service answers one call; without a word it makes what was asked for. `too late` its sender stands still meanwhile, for longer than any lease. */
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
 * All that decides a run besides its world: who goes first, where somebody does otherwise (`ann#7`: before the seventh boundary of ann),
 * and what the service answers (`limit of Buyer 1 #1`: to its first call).
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
