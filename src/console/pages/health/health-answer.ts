/** A fact of a part of the system, in words; `kind` where a person should look at it. */
export type HealthFact = { term: string; what: string; kind?: 'warn' | 'bad' };

/** What a part said, or why it could not be asked. */
export type HealthAnswer = { title: string } & ({ facts: HealthFact[] } | { away: string });
