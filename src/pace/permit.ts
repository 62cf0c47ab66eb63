/**
 * A permit to send one call now, and its episode: the time between two blocks or cuts of the rate. A late permit would crowd the next ones,
 * and one of an earlier episode would meet the same block: such a permit is lost. `isLost` tells it while the call is prepared; `leave`,
 * just before the send, says whether the call may leave.
 */
export type Permit = { episode: number; isLost: () => boolean; leave: () => boolean };

/**
 * Permits that the pace granted. `firstMs`: the wait for the first or, without permits, until the next request. `strict`: there is a
 * ceiling. `crowds`: used late, these permits would reach the service's limit together.
 */
export type Grant = {
  permits: number;
  firstMs: number;
  betweenMs: number;
  episode: number;
  crowds: boolean;
  strict: boolean;
};
