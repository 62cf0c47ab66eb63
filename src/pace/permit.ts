/**
 * A permit to send one call, now, with the episode that it belongs to. A permit that was not used in time would crowd the next ones,
 * and one from before the limit was met would meet it again: `isLost` says so while the call is got ready, and `leave`, asked
 * when all waiting is over, whether it may be sent.
 */
export type Permit = { episode: number; isLost: () => boolean; leave: () => boolean };

/**
 * What the pace granted: so many permits, the first after `firstMs`; with none, when to ask again. `strict` permits are those
 * under a ceiling; those that `crowds` speaks of would meet the service's limit together if they were used late.
 */
export type Grant = {
  permits: number;
  firstMs: number;
  betweenMs: number;
  episode: number;
  crowds: boolean;
  strict: boolean;
};
