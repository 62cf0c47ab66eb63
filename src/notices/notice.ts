/** The kinds of notices, by the names that `NOTIFY_ABOUT` takes. */
export const NOTICE_KINDS = [
  'awaiting',
  'settled',
  'decided',
  'paused',
  'failures',
  'away',
  'back',
  'credentials',
  'disk',
  'redis',
  'report',
  'inbox',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** A notice to people, sent once. No personal data, no secrets: names of portfolios, counts, sums, causes by step and status. */
export type Notice = {
  kind: NoticeKind;
  /** One sentence of plain text: what happened to what. */
  title: string;
  /** Further facts, in the order in which they are shown. */
  facts: readonly { term: string; what: string }[];
  /** The path of the console's page about the notice, such as `/portfolios/q4`. */
  path: string;
  /** When the notice arose, in ms. */
  atMs: number;
};

/**
 * The present state of a subject. Its notice is sent if the state differs from the last one remembered, and not again while it stays. A
 * state without a notice, such as `well`, is only remembered, so that the next change is noticed.
 */
export type NoticeState = {
  /** The subject, such as `settled q4`, `approval ab12`, `service`, `disk`. */
  subject: string;
  /** The subject's state, such as `settled 1763802000000`, `awaiting`, `well`; of a condition as jobs/notices/condition.ts writes it. */
  state: string;
  /**
   * The remembered state on which the caller decided, `''` for none: if it is another by now, nothing is remembered or sent, since the
   * caller saw an old state. Left out if the caller knows the state for certain.
   */
  was?: string;
  notice?: Notice;
};

/** Keeps notices until they are delivered. */
export type Outbox = {
  /**
   * Remembers the states, and puts the notices of changed ones into the outbox, each in one atomic step: another process with the same
   * state, or a repetition after a crash, adds nothing.
   *
   * @returns the number of new notices
   */
  report(states: readonly NoticeState[]): Promise<number>;
};
