/** When sessions end by themselves, in ms of the server's clock, and how many a person may have. */
export type SessionLimits = {
  /** Without activity of the person (ASVS 5.0, 7.3.1). */
  idleMs: number;
  /** Even with activity (7.3.2): a working day. */
  absoluteMs: number;
  /** From the password to the code: long enough to find the phone. */
  halfMs: number;
  /** Least time between two writes of a person's activity, since each write goes to the disk. */
  writeAfterMs: number;
  /** Most sessions of one person on all machines (ASVS 5.0, 7.1.2); the oldest are ended. */
  most: number;
};

export const SESSION_LIMITS: SessionLimits = {
  idleMs: 30 * 60_000,
  absoluteMs: 12 * 3_600_000,
  halfMs: 10 * 60_000,
  writeAfterMs: 30_000,
  most: 20,
};
