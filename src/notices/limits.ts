/** How long notices are tried and kept, and how many. All times in ms of the server's clock. */
export type NoticeLimits = {
  /** For so long a try belongs to who began it: longer than any try takes (webhook.ts, mail.ts). */
  leaseMs: number;
  /** From this age on a notice is given up: a weekend and a day. */
  giveUpMs: number;
  /** But not before it was tried for so long: who comes back after a week tells what waited. */
  graceMs: number;
  /** For so long a notice is kept when it waits no more. */
  keepMs: number;
  /** So many of the latest are listed. */
  listed: number;
  /** So many may wait on a way, some 1.5 kB each: more is a flood, of which nobody would read the end. */
  waiting: number;
};

export const NOTICE_LIMITS: NoticeLimits = {
  leaseMs: 90_000,
  giveUpMs: 3 * 86_400_000,
  graceMs: 3_600_000,
  keepMs: 30 * 86_400_000,
  listed: 500,
  waiting: 5_000,
};
