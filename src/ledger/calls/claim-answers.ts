import { hash } from 'node:crypto';
import type { CallKind, CallRecord } from '../../call-kind.ts';
import { LimitlineError } from '../../errors.ts';
import type { RowId } from '../schema/schema.ts';

/** The ledger's answer to an attempt that wants to claim a call and send it. */
export type ClaimAnswer =
  /** Send the call now, then settle, release or doubt it. `first` names the first send of this content. */
  | { is: 'go'; first: string }
  /** The thing was made before, for the row `row`: send nothing. */
  | { is: 'made'; id: string; row: string; record: CallRecord }
  /** A thing was made before under this key, for a line with another buyer or amount: send nothing. */
  | { is: 'other'; id: string }
  /** Another attempt is sending the call now. */
  | { is: 'busy' }
  /** The outcome of the call is unknown, and it may be sent again in `waitMs`. */
  | { is: 'later'; waitMs: number }
  /** The call was sent, and its outcome is unknown. `sentFor`: the other row for which it was sent, if that asks for something else. */
  | { is: 'unknown'; reason: string; sentMs: number; sentFor?: string }
  /** An approval that the row needs is missing: send nothing now, and perhaps never. */
  | { is: 'awaiting' }
  /** The portfolio is paused: send nothing now. */
  | { is: 'paused' }
  /** The row was cancelled meanwhile. */
  | { is: 'cancelled' }
  /** Another job of this row got this refusal, and has not ended the row yet. */
  | { is: 'refused'; status: number; body: string }
  /** The row has changed, so its present request differs from the one that was to be sent. */
  | { is: 'changed' }
  /** Redis lacks the mark under which the call leaves: Redis is older than what was sent, or its marks began anew. */
  | { is: 'unmarked' };

/**
 * One thing to make: its kind and key, and the row with its revision. `sent` is the request and `asked` the line's own request: their
 * digests tell a repetition from another request. Only the digests are kept.
 */
export type Thing = {
  kind: CallKind;
  key: string;
  row: RowId;
  revision?: string | undefined;
  sent?: string | undefined;
  /** A supplier's fields as JSON. The claim is granted only while the supplier that counts for the portfolio has these fields. */
  supplier?: string | undefined;
  asked?: string | undefined;
};

/** What may be claimed: a thing, or a hosted session of a row that has ended (sessions.ts). */
export type Sendable = Omit<Thing, 'kind'> & { kind: Thing['kind'] | 'session' };

/**
 * The result of giving a claim back. `putOffs`: how often the row was put off while others of its step passed. `late`: the outcome had been
 * unknown. `in doubt`: an earlier send's outcome is still unknown. `other`: the claim has passed to another owner.
 */
export type Released =
  | { is: 'back'; putOffs: number; late: boolean }
  | { is: 'in doubt'; reason: string; sentMs: number }
  | { is: 'other' };

/** Digest that tells contents apart: 16 characters of SHA-256, enough since nobody tries to make two alike. */
export function contentDigest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}

/** Digests of the request, and of the line's own request or "". */
export function digestsOf({ sent = '', asked }: Pick<Thing, 'sent' | 'asked'>): { words: string; asked: string } {
  return { words: contentDigest(sent), asked: asked === undefined ? '' : contentDigest(asked) };
}

/** The error of a claim that not all replicas confirmed; undefined for another answer. */
export function missingReplicas(answer: unknown): LimitlineError | undefined {
  const [is, confirmed, wanted] = answer as unknown[];
  if (is !== 'unconfirmed') return undefined;
  const remedy = 'start the missing, or say in REDIS_REPLICAS how many there are';
  return new LimitlineError('REDIS', `Redis' replicas do not confirm (${confirmed} of ${wanted}); ${remedy}`);
}

/** Reads the answer of release.lua. */
export function toReleased([is, first, second]: [string, ...(string | number)[]]): Released {
  if (is === 'back') return { is, putOffs: Number(first), late: second === 1 };
  return is === 'doubt' ? { is: 'in doubt', reason: String(first), sentMs: Number(second) } : { is: 'other' };
}

/** Reads the answer of claim.lua. */
export function toClaimAnswer([is, ...rest]: [ClaimAnswer['is'], ...string[]], owner: string): ClaimAnswer {
  const [first, second, third] = rest;
  switch (is) {
    case 'made':
      return { is, id: first ?? '', row: second ?? '', record: third ? JSON.parse(third) : {} };
    case 'go':
      return { is, first: first ?? owner };
    case 'other':
      return { is, id: first ?? '' };
    case 'unknown':
      return { is, reason: first ?? '', sentMs: Number(second), ...(third && { sentFor: third }) };
    case 'refused':
      return { is, status: Number(first), body: second ?? '' };
    case 'later':
      return { is, waitMs: Number(first) };
    default:
      return { is };
  }
}

/** Reads a thing that was made twice, `<kind> <id> <other id>`, as settle.lua writes it. */
export function readPair(pair: string): { kind: CallKind; id: string; again: string } {
  const [kind = '', id = '', again = ''] = pair.split(' ');
  return { kind: kind as CallKind, id, again };
}
