import { Big } from 'big.js';
import { moneyText } from '../../money-text.ts';

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
  /** The only ones who may answer it, where settings name them (INBOX_APPROVERS): nothing where any approver may. */
  approvers?: readonly string[] | undefined;
  askedMs: number;
  /** What it binds: whatever changes one of these changes `digest`, and an answer to another digest is not heard. */
  file: { name: string; sha256: string; reading: string } | undefined;
  /** Which import of the portfolio it is, by its number (KnownImport). */
  importId: string | undefined;
  /** The rows that wait, and what they ask for; of one that was answered, as they were then. */
  rows: number;
  sum: string;
  /** This supplier goes as well, if its call was in doubt at this moment and was not lost again since. */
  supplierAgain?: SupplierInDoubt | undefined;
  /** The same as it was when it began to wait; nothing where it does not wait yet, or never did. */
  atFirst: { rows: number; sum: string } | undefined;
  /** Which sum was above which limit as it began to wait, or may have been; nothing where it waits for another reason. */
  over?: { of: OverOf; name: string; sum: string; limit: string } | undefined;
  /** Of what somebody said no to before: `by NAME: WORDS`, of the last no; nothing of what nobody said no to. */
  redone?: string | undefined;
  /** The name of the supplier whose company goes with it; nothing where none does. */
  supplier?: string | undefined;
  /** 43 letters: see read-approval.ts. */
  digest: string;
  /** Who answered, when, and in what words; `by` is empty where nobody had to. */
  answered: { by: string; atMs: number; words: string } | undefined;
};

/** Whose sum may be above a limit: `rows` are those that are to be sent again, `alike` a buyer who may be one with too many to add up. */
export type OverOf = 'portfolio' | 'rows' | 'buyer' | 'alike' | 'person';

/** What there is to say of why it waits. */
export type WhyNeeded = Pick<Approval, 'over' | 'redone' | 'supplier' | 'kind'>;

/** Why it waits, and what goes with its rows, in sentences; "" where there is nothing to say of it. */
export function whyWords({ over, redone, supplier, kind }: WhyNeeded): string {
  const words = over ? [overWords(over)] : [];
  if (redone) words.push(`Some of what was asked for here was declined before${redone === '1' ? '' : `, ${redone}`}.`);
  const goes = kind === 'import' ? 'is created first, unless it was before' : 'is sent again';
  if (supplier) words.push(`The company of the supplier ${supplier} ${goes}.`);
  if (kind === 'answer') words.push('If the service did make something of a call that is sent again, it exists twice.');
  return words.join(' ');
}

/** What holds until then, where another person approves it first. */
export const BEFORE_YES = 'nothing is sent before somebody else with the role approver has said yes';

function overWords({ of, name, sum, limit }: NonNullable<Approval['over']>): string {
  if (of === 'alike')
    return `${name} may be one with more than 1,000 other buyers: what they are to get together is not known to be at most ${moneyText(limit)}.`;
  const passed = `with this and what passed lately without another person's yes`;
  const asks = {
    portfolio: `Portfolio ${name} asks for ${moneyText(sum)} with this`,
    rows: `These rows ask for ${moneyText(sum)}`,
    buyer: `${name} is to get ${moneyText(sum)} ${passed}`,
    person: `${name} asks for ${moneyText(sum)} ${passed}`,
  };
  return `${asks[of]}, which is above ${moneyText(limit)}.`;
}

/** What settings ask approval for. Sums are decimal text. */
export type ApprovalPolicy = {
  /** APPROVE_ALWAYS. */
  always: boolean;
  /** APPROVE_ABOVE: what a portfolio, or one buyer within the window, may come to without another person. */
  above: string | undefined;
  /** APPROVE_PERSON_ABOVE: the same of one person within the window. */
  personAbove?: string | undefined;
  /** APPROVE_WINDOW_DAYS: for so many days it counts what passed without another person; nothing, or 0, where it does not. */
  windowDays?: number | undefined;
  /** INBOX_APPROVERS: who alone may answer for what was dropped; nothing where any approver may. */
  inboxApprovers?: readonly string[] | undefined;
};

/** Nobody has to approve anything. */
export const NO_APPROVAL: ApprovalPolicy = { always: false, above: undefined };

/** What both ask for together: always if either does, of two limits the lower, the longer window, and whom both let answer. */
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

/** Whether anything may have to be approved: then whatever comes in waits until it is known whether it has. */
export function asksApproval({ always, above, personAbove }: ApprovalPolicy): boolean {
  return always || above !== undefined || personAbove !== undefined;
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

/** A supplier whose call was in doubt when somebody looked, in ms. */
export type SupplierInDoubt = { key: string; atMs: number };

/** An approval by its portfolio and its id. */
export type ApprovalId = { portfolio: string; id: string };

/** `<portfolio>/<id>`, as lists of approvals have them; ids have no slash, and neither have names. */
export function approvalIdOf(name: string): ApprovalId {
  const slash = name.lastIndexOf('/');
  return { portfolio: name.slice(0, slash), id: name.slice(slash + 1) };
}
