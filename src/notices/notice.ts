/** The kinds of notices that people get without asking: the names for `NOTIFY_ABOUT`. */
export const NOTICE_KINDS = [
  'awaiting',
  'settled',
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

/** A notice to people, sent once. No personal data, no secrets: only names of portfolios, counts, sums, and causes by step and status. */
export type Notice = {
  kind: NoticeKind;
  /** One sentence of plain text: what happened, and to which portfolio or part. */
  title: string;
  /** Further facts, in the order in which they are shown. */
  facts: readonly { term: string; what: string }[];
  /** The address of a console page, such as `/portfolios/q4`. */
  path: string;
  /** When it arose, in ms. */
  atMs: number;
};

/**
 * The present state of a subject. A notice is sent when this state differs from the one that was remembered last, and not again while it
 * stays. A state without a notice (such as `well`) is only remembered, so that the next change is noticed.
 */
export type NoticeState = {
  /** The subject, such as `portfolio q4 approval`, `service`, `disk`. */
  subject: string;
  /** Such as `awaiting ab12`, `settled 1763802000000`, `away`, `well`. */
  state: string;
  /**
   * The state that was remembered when this one was found; `''` for none. If another state is remembered by now, this one is outdated: it
   * is neither remembered nor sent. Left out when it does not depend on what was remembered.
   */
  was?: string;
  notice?: Notice;
};

/** Keeps notices until they are delivered. */
export type Outbox = {
  /**
   * Remembers the states, and puts the notices of those that changed into the outbox, each in one atomic step. The same state from another
   * process, or again after a crash, adds nothing.
   *
   * @returns the number of new notices
   */
  tell(states: readonly NoticeState[]): Promise<number>;
};
