/** The listener's limits for connections. */
export type ListenerLimits = {
  /** Of a request's headers, including the first line. */
  headersBytes: number;
  headersMs: number;
  /** For a whole request, from its first byte. */
  requestMs: number;
  /** Interval of the check for slow connections. */
  lookMs: number;
  /** For a connection without a request. */
  idleMs: number;
  connections: number;
  /** For all events in this process, being read or waiting for Redis; never less than four of the largest. */
  roomBytes: number;
  /** Time to wait until an event is in Redis. */
  keepMs: number;
  /** How long the rest of a rejected request is discarded before the connection is closed, so that the response is read. */
  lingerMs: number;
  /** Time for requests under way at the end. */
  closeMs: number;
};

export const USUAL_LIMITS: Readonly<ListenerLimits> = {
  // Node's own limit, which is twice that of nginx for one header.
  headersBytes: 16 * 1_024,
  // Machines send a whole event at once: these limits are for slow networks.
  headersMs: 10_000,
  requestMs: 30_000,
  lookMs: 1_000,
  // Longer than proxies keep a connection (nginx 60 s), so that they close it, and lose no request.
  idleMs: 75_000,
  // Some hundred times what a proxy holds open; each costs some tens of kilobytes.
  connections: 512,
  // Enough for a flood of small events during the five seconds until commands to Redis time out.
  roomBytes: 32 * 1_024 * 1_024,
  // Twice the timeout of Redis commands (redis/connect.ts), which so comes first.
  keepMs: 10_000,
  lingerMs: 2_000,
  // Longer than keepMs, and within the 25 s that `up` gives its processes.
  closeMs: 12_000,
};
