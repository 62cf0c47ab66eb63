/** An action, done or tried, in readable values: no secrets, no personal data of buyers' contacts. */
export type AuditNote = {
  /** The actor, see `Person.by`; for a failed sign-in the given name, `""` for none. */
  by: string;
  /** The action as `<thing> <verb>`: `session begun`, `sign-in refused`, `rows retried`, `portfolio approved`, `results downloaded`. */
  what: string;
  /** The origin: a network address, `command line on <host>`, or `drop folder on <host>`. */
  from: string;
  /** The object: a portfolio, a user. */
  about?: string;
  /** Further facts: the plan, values before and after. */
  facts?: Readonly<Record<string, unknown>>;
};

/** The audit trail for code that acts. */
export type Audit = {
  /** Appends an entry; resolves once it is written. @throws if it could not be written: then the action must not be done either */
  note(note: AuditNote): Promise<void>;
  /**
   * Runs an action between two entries: the first says what is to be done, the second its outcome, with the facts that `facts` makes of the
   * answer, or the error. `came` decides from the answer whether the outcome is `done` or `failed`: an action may fail without an error,
   * such as at a wrong password.
   */
  around<T>(
    note: AuditNote,
    act: () => Promise<T>,
    facts?: (answer: T) => Readonly<Record<string, unknown>>,
    came?: (answer: T) => 'done' | 'failed',
  ): Promise<T>;
  /**
   * Notes a refusal: of a sign-in, or of a page that the person may not use. Cheap in any number: the first ones of an address get an entry
   * each, and the others are counted in one entry a minute.
   *
   * Never throws, since the refusal holds in any case; one that could not be written is counted, and the count is written later.
   */
  refusal(note: AuditNote): Promise<void>;
};
