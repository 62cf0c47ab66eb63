import { createHash } from 'node:crypto';

/** The kinds of call that make something at the service; each has its own idea of "the same thing". */
export const CALL_KINDS = ['company', 'document', 'limit'] as const;
export type CallKind = (typeof CALL_KINDS)[number];

export type Keys = ReturnType<typeof makeKeys>;

/**
 * Every Redis key of the project, built here and nowhere else.
 *
 * The ledger, the pace and the token share one hash tag, so that on a cluster they live in one slot and a script may
 * change a row, its portfolio's counts and a call in one step. Each queue has a tag of its own (BullMQ's rule), so
 * that the heavy part spreads.
 */
export function makeKeys(prefix: string) {
  const root = `{${prefix}}`;
  return {
    /** Sorted set: portfolio name, by the time of its first import in ms. */
    portfolios: `${root}:portfolios`,
    /** Hash: what is known of a portfolio; `calls:<kind>` and other counts are fields of it. */
    portfolio: (name: string) => `${root}:portfolio:${name}`,
    /** Hash: line number → problem, as JSON, of the last import's lines that led to no row. */
    faultyLines: (name: string) => `${root}:portfolio:${name}:lines`,
    /** Sorted set: the rows of a portfolio that are in one state, by line. Lua builds this name too (move.lua). */
    rowsInState: (name: string, state: string) => `${root}:portfolio:${name}:state:${state}`,
    /** Hash: what became of one row. */
    row: (name: string, key: string) => `${root}:row:${name}:${key}`,
    /** Hash: the one call that makes this thing. */
    call: (kind: CallKind, key: string) => `${root}:call:${kind}:${key}`,
    /** List: the `bl_` ids of one buyer, in the order in which they were granted. */
    buyerLimits: (buyer: string) => `${root}:buyer:${buyer}:limits`,
    /** Sorted set: worker process → when it last gave a sign of life, in ms of the server's clock. */
    workers: `${root}:workers`,
    /** Sorted set of one member: the most replicas that Redis was ever seen to have. */
    replicas: `${root}:replicas`,
    /** Hash and string, one a service and set of credentials. */
    pace: (account: string) => `${root}:pace:${account}`,
    token: (account: string) => `${root}:token:${account}`,
    /** BullMQ's `prefix` option for one queue. */
    queuePrefix: (queue: string) => `{${prefix}:${queue}}`,
  };
}

/**
 * Names an account at the service without showing its credentials: what the pace and the token belong to.
 * 12 characters, for keys that people may read.
 */
export function accountOf({ url, clientId }: { url: string; clientId: string }): string {
  return createHash('sha256').update(`${url}\n${clientId}`).digest('base64url').slice(0, 12);
}
