/** What people are told of without asking: the names that `NOTIFY_ABOUT` takes. */
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

/** What somebody is told, once. No personal data of anybody, no secrets: names of portfolios, counts, sums, causes by step and status. */
export type Notice = {
  kind: NoticeKind;
  /** One sentence of plain text: what happened to whom. */
  title: string;
  /** What else is to be known, in the order in which it is shown. */
  facts: readonly { term: string; what: string }[];
  /** Where in the console, such as `/portfolios/q4`. */
  path: string;
  /** When it arose, in ms. */
  atMs: number;
};

/**
 * What something is in now. A notice is told when the state of its subject is another than that which was told of last, and not
 * again while it stays; a state without a notice (such as `well`) is only remembered, so that the next one is told.
 */
export type NoticeState = {
  /** What it is about, such as `portfolio q4 approval`, `service`, `disk`. */
  subject: string;
  /** Such as `awaiting ab12`, `settled 1763802000000`, `away`, `well`. */
  state: string;
  /**
   * What was remembered of it when this was decided, `''` where nothing was: where it is another by now, nothing is remembered or
   * told, since whoever looked saw what is over. Left out by who knows without looking.
   */
  was?: string;
  notice?: Notice;
};

/** Where notices go until they are delivered. */
export type Outbox = {
  /**
   * Remembers the states, and puts the notices of those that changed into the outbox, each in one atomic step: whoever tells the
   * same at the same moment, or again after it died, adds nothing.
   *
   * @returns how many notices arose
   */
  tell(states: readonly NoticeState[]): Promise<number>;
};
