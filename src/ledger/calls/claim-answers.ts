import { hash } from 'node:crypto';
import type { CallKind } from '../../call-kind.ts';
import { LimitlineError } from '../../errors.ts';
import type { CallRecord } from '../../outcome.ts';
import type { RowId } from '../schema/schema.ts';

/** The ledger's answer to "may I send this?". */
export type ClaimAnswer =
  /** Send it, now, and settle, release or doubt it afterwards. `first` names the first send of this content. */
  | { is: 'go'; first: string }
  /** It was made before, for the row `row`: call nothing. */
  | { is: 'made'; id: string; row: string; record: CallRecord }
  /** It was made before under this name, for a line that asked for another buyer or amount: call nothing. */
  | { is: 'other'; id: string }
  /** Somebody is sending it at this moment. */
  | { is: 'busy' }
  /** Its outcome is unknown, and it may be sent again in so many ms. */
  | { is: 'later'; waitMs: number }
  /** It was sent, and nobody knows what became of it. */
  | { is: 'unknown'; reason: string; sentMs: number }
  /** Another person has not approved what it is a part of: not now, and perhaps never. */
  | { is: 'awaiting' }
  /** The portfolio is paused: not now. */
  | { is: 'paused' }
  /** The row was given up meanwhile. */
  | { is: 'cancelled' }
  /** It was refused for this row, which another of its jobs has not ended yet. */
  | { is: 'refused'; status: number; body: string }
  /** The row has other words by now than those that are to be sent. */
  | { is: 'changed' }
  /** Redis lacks the mark under which it was to leave: it is older than what was sent, or its marks began anew. */
  | { is: 'unmarked' };

/**
 * One thing to be made: what kind, which one, and for which row, at which of its revisions. `sent` is what is sent, and
 * `asked` what the line asked for, by which a repetition and another request are told apart; only their digests are kept.
 */
export type Thing = {
  kind: CallKind;
  key: string;
  row: RowId;
  revision?: string | undefined;
  sent?: string | undefined;
  asked?: string | undefined;
};

/**
 * What became of a claim that was given back. `putOffs` counts how often the row was put off while others of its step
 * passed; `late` says that the outcome had been unknown until now; `in doubt`, that it is still, for an earlier send.
 */
export type Released =
  | { is: 'back'; putOffs: number; late: boolean }
  | { is: 'in doubt'; reason: string; sentMs: number }
  | { is: 'other' };

/** Tells contents apart without keeping them; 16 characters of SHA-256, since nobody tries to make two alike. */
export function contentDigest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}

/** Of what is sent, and of what the line asked for, or "". */
export function digestsOf({ sent = '', asked }: Thing): { words: string; asked: string } {
  return { words: contentDigest(sent), asked: asked === undefined ? '' : contentDigest(asked) };
}

/** The fault of a claim that not all replicas have. */
export function missingReplicas(answer: unknown): LimitlineError | undefined {
  const [is, confirmed, wanted] = answer as unknown[];
  if (is !== 'unconfirmed') return undefined;
  const remedy = 'start the missing, or say in REDIS_REPLICAS how many there are';
  return new LimitlineError('REDIS', `Redis' replicas do not confirm (${confirmed} of ${wanted}); ${remedy}`);
}

/** What release.lua answered. */
export function toReleased([is, first, second]: [string, ...(string | number)[]]): Released {
  if (is === 'back') return { is, putOffs: Number(first), late: second === 1 };
  return is === 'doubt' ? { is: 'in doubt', reason: String(first), sentMs: Number(second) } : { is: 'other' };
}

/** What claim.lua answered. */
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
      return { is, reason: first ?? '', sentMs: Number(second) };
    case 'refused':
      return { is, status: Number(first), body: second ?? '' };
    case 'later':
      return { is, waitMs: Number(first) };
    default:
      return { is };
  }
}

/** `<kind> <id> <other id>`, as settle.lua writes it. */
export function readPair(pair: string): { kind: CallKind; id: string; again: string } {
  const [kind = '', id = '', again = ''] = pair.split(' ');
  return { kind: kind as CallKind, id, again };
}
