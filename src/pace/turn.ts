/**
 * A turn to send one call, now, with the episode that it belongs to. Under a ceiling a turn that was not used in time would
 * crowd the next ones: `isLost` says so while the call is got ready, and `leave`, asked when all waiting is over, whether it
 * may be sent. Without a ceiling no turn is lost.
 */
export type Turn = { episode: number; isLost: () => boolean; leave: () => boolean };
