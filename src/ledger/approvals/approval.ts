import { Big } from 'big.js';
/** What waits: the rows of an import, refused rows that are to be sent again, held rows whose call somebody answered. */
export type ApprovalKind = 'import' | 'retry' | 'answer';

/**
 * `open` while an import still brings rows in, `waiting` for somebody, `granted` (by a person, or since the sum is below the
 * limit), `declined`, `void` where nothing of it is left.
 */
export type ApprovalStanding = 'open' | 'waiting' | 'granted' | 'declined' | 'void';

/** What another person is asked to approve. Amounts are exact decimal text, times ms of the server's clock. */
export type Approval = {
  id: string;
  portfolio: string;
  kind: ApprovalKind;
  standing: ApprovalStanding;
  /** Who may not answer it: whoever submitted it, uploaded it or mended it, by `Person.by`. */
  authors: readonly string[];
  askedMs: number;
  /** What it binds: whatever changes one of these changes `digest`, and an answer to another digest is not heard. */
  file: { name: string; sha256: string; reading: string } | undefined;
  /** Which import of the portfolio it is, by its number (KnownImport). */
  importId: string | undefined;
  /** The rows that wait, and what they ask for; of one that was answered, as they were then. */
  rows: number;
  sum: string;
  /** The same as it was when it began to wait; nothing where it does not wait yet, or never did. */
  atFirst: { rows: number; sum: string } | undefined;
  /** 43 letters: see approval-digest.ts. */
  digest: string;
  /** Who answered, when, and in what words; `by` is empty where nobody had to. */
  answered: { by: string; atMs: number; words: string } | undefined;
};

/** What settings ask approval for: APPROVE_ALWAYS, and APPROVE_ABOVE as decimal text. */
export type ApprovalPolicy = { always: boolean; above: string | undefined };

/** Nobody has to approve anything. */
export const NO_APPROVAL: ApprovalPolicy = { always: false, above: undefined };

/** What both ask for together: always if either does, and of two limits the lower. */
export function stricterOf(one: ApprovalPolicy, other: ApprovalPolicy): ApprovalPolicy {
  const limits = [one.above, other.above].filter((above) => above !== undefined);
  const [above] = limits.sort((a, b) => new Big(a).cmp(b));
  return { always: one.always || other.always, above };
}

/** Whether anything may have to be approved: then whatever comes in waits until it is known whether it has. */
export function asksApproval({ always, above }: ApprovalPolicy): boolean {
  return always || above !== undefined;
}

/** Whether a sum, as decimal text, has to be approved. */
export function asksApprovalOf({ always, above }: ApprovalPolicy, sum: string): boolean {
  return always || (above !== undefined && new Big(sum).gt(above));
}

/**
 * What became of an answer. Nothing was done but for `granted` and `declined`: there is no such approval, or nothing of it is left
 * (`gone`); it is not what was looked at any more, or not complete yet (`changed`); whoever answers has asked for it, or nobody knows
 * who answers (`own`); somebody has answered it before (`answered`).
 */
export type AnswerTaken = 'granted' | 'declined' | 'gone' | 'changed' | 'own' | 'answered';
