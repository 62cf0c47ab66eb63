/** What the listener bears of a connection. */
export type ListenerLimits = {
  /** Of the head of a request, its first line included. */
  headersBytes: number;
  headersMs: number;
  /** Of a whole request, from its first byte. */
  requestMs: number;
  /** How often connections are looked at that are too slow. */
  lookMs: number;
  /** A connection on which nothing is asked. */
  idleMs: number;
  connections: number;
  /** Of all events that are here at once, read or waiting for Redis; never less than four of the largest. */
  roomBytes: number;
  /** How long an event is waited for until it is in Redis. */
  keepMs: number;
  /** How long the rest of what was refused is thrown away, so that the answer is read, before the connection is closed. */
  lingerMs: number;
  /** What is under way at the end. */
  closeMs: number;
};

export const USUAL_LIMITS: Readonly<ListenerLimits> = {
  // Node's own limit, which is twice that of nginx for one header.
  headersBytes: 16 * 1_024,
  // A machine that sends an event has it ready: these are for slow networks, not for slow senders.
  headersMs: 10_000,
  requestMs: 30_000,
  lookMs: 1_000,
  // Longer than proxies keep a connection (nginx 60 s), so that it is they who close it and none of theirs is lost.
  idleMs: 75_000,
  // Some hundred times what a proxy holds open; each costs some tens of kilobytes.
  connections: 512,
  // What small ones need in a flood, while Redis takes its five seconds to be given up.
  roomBytes: 32 * 1_024 * 1_024,
  // Twice what Redis is given (redis/connect.ts): it answers first, or nothing does.
  keepMs: 10_000,
  lingerMs: 2_000,
  // Longer than an event is waited for, and within the 25 s that `up` gives its parts.
  closeMs: 12_000,
};
