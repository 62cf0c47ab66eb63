/** A fact of a part of the system, in words; `kind` where a person should look at it. */
export type HealthFact = {
  term: string;
  what: string;
  kind?: 'warn' | 'bad';
  /** The worker that it is about, which can be told to take up nothing new. */
  worker?: { id: string; isQuiet: boolean };
};

/** What a part said, or why it could not be asked. */
export type HealthAnswer = { title: string } & ({ facts: HealthFact[] } | { away: string });
