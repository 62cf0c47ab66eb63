/**
 * A permit to send one call now. Its episode is the time between two blocks or cuts of the rate. A permit is lost if it is late, since the
 * call would come close to the next ones. It is also lost if its episode is over, since the call would meet the same block. `isLost` is asked
 * while the call is prepared. `leave` is asked just before the send, and answers whether the call may leave.
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
