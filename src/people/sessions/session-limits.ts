/** How sessions end by themselves, and how many a person has. All in ms of the server's clock, but the last. */
export type SessionLimits = {
  /** Without anything that a person does (ASVS 5.0, 7.3.1). */
  idleMs: number;
  /** Whatever a person does (7.3.2): a working day. */
  absoluteMs: number;
  /** After the password, for the code: long enough to look for the telephone. */
  halfMs: number;
  /** A sign is written down at most so often: each is a write that a disk has to take. */
  writeAfterMs: number;
  /** Of one person, on all machines (7.1.2); the oldest go. */
  most: number;
};

export const SESSION_LIMITS: SessionLimits = {
  idleMs: 30 * 60_000,
  absoluteMs: 12 * 3_600_000,
  halfMs: 10 * 60_000,
  writeAfterMs: 30_000,
  most: 20,
};
