/** What somebody did, or tried to do. Values are for people to read: no secrets, no personal data of buyers' contacts. */
export type AuditNote = {
  /** Who: see `Person.by`; of a sign-in that failed the name that was given, `""` where there is none. */
  by: string;
  /** What, as `<thing> <verb>`: `session begun`, `sign-in refused`, `rows retried`, `portfolio approved`, `results downloaded`. */
  what: string;
  /** From where: an address of the network, or `command line on <host>`, or `drop folder on <host>`. */
  from: string;
  /** What it was about: a portfolio, a user. */
  about?: string;
  /** What else is known of it: the plan, before and after. */
  facts?: Readonly<Record<string, unknown>>;
};

/** The audit trail, as those who act see it. */
export type Audit = {
  /** Appends an entry. It stands when this resolves. @throws when it could not be written: then nothing may be done either */
  note(note: AuditNote): Promise<void>;
  /**
   * Does something with an entry before it, which says what is wished, and one behind it, which says what came of it: what
   * `facts` makes of the answer, or the fault. An answer by which nothing was done, such as a wrong password, is no fault of ours,
   * and yet is not `done`: `came` tells it apart.
   */
  around<T>(
    note: AuditNote,
    act: () => Promise<T>,
    facts?: (answer: T) => Readonly<Record<string, unknown>>,
    came?: (answer: T) => 'done' | 'failed',
  ): Promise<T>;
  /**
   * Tells of something that was refused: a sign-in, an address that is not somebody's to use. Cheap, however many there are: of
   * those in great number the first of an address have an entry each, and the others are counted in one entry a minute.
   *
   * Never throws, since a refusal stands in any case; what could not be written is counted, and the count written later.
   */
  refusal(note: AuditNote): Promise<void>;
};
