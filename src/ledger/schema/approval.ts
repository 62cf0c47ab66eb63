import { Big } from 'big.js';
import { moneyText } from '../../money-text.ts';

/** What waits for approval: the rows of an import, refused rows to be sent again, or answers about held rows. */
export type ApprovalKind = 'import' | 'retry' | 'answer';

/**
 * The state of an approval. `open`: an import is still adding rows. `waiting`: for a person. `granted`: by a person, or because the sum is
 * below the limit. `declined`. `void`: no row is left.
 */
export type ApprovalStanding = 'open' | 'waiting' | 'granted' | 'declined' | 'void';

/** Something that another person must approve. Amounts are exact decimal text, times are in ms of the server's clock. */
export type Approval = {
  id: string;
  portfolio: string;
  kind: ApprovalKind;
  standing: ApprovalStanding;
  /** Who may not answer: the people who submitted, uploaded or corrected it, by `Person.by`. */
  authors: readonly string[];
  /** The only people who may answer, if INBOX_APPROVERS names them; undefined if any approver may. */
  approvers?: readonly string[] | undefined;
  askedMs: number;
  /** The content of the approval. If any of these changes, `digest` changes, and an answer to the earlier digest has no effect. */
  file: { name: string; sha256: string; reading: string } | undefined;
  /** Which import of the portfolio it is, by number (KnownImport). */
  importId: string | undefined;
  /** The waiting rows and their amounts; after the answer, as they were then. */
  rows: number;
  sum: string;
  /** This supplier's call is sent again too, if it was in doubt at this moment and not lost again since. */
  supplierAgain?: SupplierInDoubt | undefined;
  /** The rows and sum when it began to wait; undefined if it does not wait yet, or never did. */
  atFirst: { rows: number; sum: string } | undefined;
  /** Which sum exceeded which limit, or may have, when it began to wait; undefined if it waits for another reason. */
  over?: { of: OverOf; name: string; sum: string; limit: string } | undefined;
  /** Who last declined a part of this before, and why, as `by NAME: WORDS`; undefined if nobody did. */
  redone?: string | undefined;
  /** The name of the supplier whose company is sent with it, if any. */
  supplier?: string | undefined;
  /** 43 letters: see read-approval.ts. */
  digest: string;
  /** Who answered, when and why. `by` is empty if nobody had to. */
  answered: { by: string; atMs: number; words: string } | undefined;
};

/** Whose sum may exceed a limit. `rows`: rows to be sent again. `alike`: a buyer who resembles too many others to add up. */
export type OverOf = 'portfolio' | 'rows' | 'buyer' | 'alike' | 'person';

/** The reasons for which an approval waits. */
export type WhyNeeded = Pick<Approval, 'over' | 'redone' | 'supplier' | 'kind'>;

/** WhyNeeded it waits, and what is sent with its rows, in sentences; "" if there is nothing to say. */
export function whyWords({ over, redone, supplier, kind }: WhyNeeded): string {
  const words = over ? [overWords(over)] : [];
  if (redone) words.push(`Some of what was asked for here was declined before${redone === '1' ? '' : `, ${redone}`}.`);
  const goes = kind === 'import' ? 'is created first, unless it was before' : 'is sent again';
  if (supplier) words.push(`The company of the supplier ${supplier} ${goes}.`);
  if (kind === 'answer') words.push('If the service did make something of a call that is sent again, it exists twice.');
  return words.join(' ');
}

/** A warning to show if another person must approve first. */
export const BEFORE_YES = 'nothing is sent before somebody else with the role approver has said yes';

function overWords({ of, name, sum, limit }: NonNullable<Approval['over']>): string {
  if (of === 'alike')
    return `${name} may be one with more than 1,000 other buyers: what they are to get together is not known to be at most ${moneyText(limit)}.`;
  const passed = `with this and what passed lately without another person's yes`;
  const asks = {
    portfolio: `Portfolio ${name} asks for ${moneyText(sum)} with this`,
    rows: `These rows ask for ${moneyText(sum)} in all`,
    buyer: `${name} is to get ${moneyText(sum)} ${passed}`,
    person: `${name} asks for ${moneyText(sum)} ${passed}`,
  };
  return `${asks[of]}, which is above ${moneyText(limit)}.`;
}

/** What the settings require approval for. Sums are decimal text. */
export type ApprovalPolicy = {
  /** APPROVE_ALWAYS. */
  always: boolean;
  /** APPROVE_ABOVE: the most that a portfolio, or a buyer within the window, may request without another person. */
  above: string | undefined;
  /** APPROVE_PERSON_ABOVE: the most that one person may request within the window without another person. */
  personAbove?: string | undefined;
  /** APPROVE_WINDOW_DAYS: how many days of requests without another person's approval are added up; undefined or 0 to add none. */
  windowDays?: number | undefined;
  /** INBOX_APPROVERS: the only people who may approve dropped files; undefined if any approver may. */
  inboxApprovers?: readonly string[] | undefined;
};

/** No approvals are needed. */
export const NO_APPROVAL: ApprovalPolicy = { always: false, above: undefined };

/** The stricter of two policies: `always` if either has it, the lower limits, the longer window, and only the approvers whom both allow. */
export function stricterOf(one: ApprovalPolicy, other: ApprovalPolicy): ApprovalPolicy {
  const lower = (limits: (string | undefined)[]) =>
    limits.filter((limit) => limit !== undefined).sort((a, b) => new Big(a).cmp(b))[0];
  const [names, others] = [one.inboxApprovers, other.inboxApprovers];
  return {
    always: one.always || other.always,
    above: lower([one.above, other.above]),
    personAbove: lower([one.personAbove, other.personAbove]),
    windowDays: Math.max(one.windowDays ?? 0, other.windowDays ?? 0),
    inboxApprovers: names && others ? names.filter((name) => others.includes(name)) : (names ?? others),
  };
}

/** Whether anything may need approval. If so, new rows wait until that is decided. */
export function asksApproval({ always, above, personAbove }: ApprovalPolicy): boolean {
  return always || above !== undefined || personAbove !== undefined;
}

/** Whether a sum (decimal text) needs approval. */
export function asksApprovalOf({ always, above }: ApprovalPolicy, sum: string): boolean {
  return always || (above !== undefined && new Big(sum).gt(above));
}

/**
 * The result of an answer. Only `granted` and `declined` changed anything. `gone`: there is no such approval, or no row of it is left.
 * `changed`: it changed since the person looked, or is not complete yet. `own`: the person asked for it, or is unknown. `answered`:
 * somebody answered it before.
 */
export type AnswerTaken = 'granted' | 'declined' | 'gone' | 'changed' | 'own' | 'answered';

/** A supplier whose call was in doubt at this moment, in ms. */
export type SupplierInDoubt = { key: string; atMs: number };

/** An approval, by its portfolio and id. */
export type ApprovalId = { portfolio: string; id: string };

/** Reads `<portfolio>/<id>`, the form in lists of approvals. Neither ids nor names contain a slash. */
export function approvalIdOf(name: string): ApprovalId {
  const slash = name.lastIndexOf('/');
  return { portfolio: name.slice(0, slash), id: name.slice(slash + 1) };
}
