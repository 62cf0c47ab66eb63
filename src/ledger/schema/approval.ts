import { Big } from 'big.js';
import { isNamed } from '../../actor.ts';
import { moneyText } from '../../counted.ts';

/** What is to be approved: an import's rows, a retry of refused rows, or a person's answer to the calls of held rows. */
export type ApprovalKind = 'import' | 'retry' | 'answer';

/**
 * `open`: an import still adds rows. `waiting`: a person has to answer. `granted`: by a person, or automatically because the sum is below
 * the limit. `declined`: by a person. `void`: none of its rows are left.
 */
export type ApprovalStanding = 'open' | 'waiting' | 'granted' | 'declined' | 'void';

/** Something that another person must approve. Amounts are exact decimal text, times are in ms of the server's clock. */
export type Approval = {
  id: string;
  portfolio: string;
  kind: ApprovalKind;
  standing: ApprovalStanding;
  /** People who may not answer the approval: those who submitted, uploaded or corrected what it covers, as `Person.by` names them. */
  authors: readonly string[];
  /** The only people who may answer, from the setting INBOX_APPROVERS; undefined: any approver may. */
  approvers?: readonly string[] | undefined;
  askedMs: number;
  /** The file that the approval covers. Any change to an approval changes `digest`; an answer that names another digest is rejected. */
  file: { name: string; sha256: string; reading: string } | undefined;
  /** Number of the import within the portfolio (KnownImport). */
  importId: string | undefined;
  /** Rows that wait, and the sum that they request; of an answered approval, as they were when it was answered. */
  rows: number;
  sum: string;
  /** A supplier whose call is sent again with the yes, if the call was in doubt at `atMs` and no later send of it was lost. */
  supplierAgain?: SupplierInDoubt | undefined;
  /** Rows and sum when the approval began to wait; undefined if it never waited. */
  atFirst: { rows: number; sum: string } | undefined;
  /** The sum that was, or may have been, above a limit when the approval began to wait; undefined if it waits for another reason. */
  over?: { of: OverOf; name: string; sum: string; limit: string } | undefined;
  /** Why it waits, where neither a sum nor a refusal is the reason; undefined if that is not known. */
  because?: ReasonToAsk | undefined;
  /** `by NAME: WORDS` of the last refusal, if a person has declined some of these requests before; else undefined. */
  redone?: string | undefined;
  /** The id of the approval by which that person declined them. */
  redoneOf?: string | undefined;
  /** Name of the supplier whose company is created after the yes; undefined for none. */
  supplier?: string | undefined;
  /** Id of the company that the import names as the supplier; undefined for none. */
  supplierId?: string | undefined;
  /** Name of a supplier that was approved for the portfolio, is not made yet, and is not made after the yes; undefined for none. */
  displaces?: string | undefined;
  /** Digest of what the approval covers, 43 characters: see read-approval.ts. */
  digest: string;
  /** Who answered, when, and the comment; `by` is empty if no person had to answer. */
  answered: { by: string; atMs: number; words: string } | undefined;
};

/** Whose sum is above a limit. `rows`: rows to be sent again. `alike`: a buyer with too many possible duplicates to add up. */
export type OverOf = 'portfolio' | 'rows' | 'buyer' | 'alike' | 'person';

/**
 * `always`: every request waits (APPROVE_ALWAYS). `unapproved`: some rows were cancelled, or have no approval that was granted. `left`: a
 * process left it unfinished when it died.
 */
export type ReasonToAsk = 'always' | 'unapproved' | 'left';

const BECAUSE: Readonly<Record<ReasonToAsk | 'unknown', string>> = {
  always: "Every request waits for another person's approval here.",
  unapproved: 'Some of these rows have no approval any more, or never had one.',
  left: 'What asked for this broke off before its end, and nobody went on with it.',
  // Of an approval that an earlier version asked for.
  unknown: "These requests need another person's approval.",
};

type WhyNeeded = Pick<Approval, 'over' | 'because' | 'redone' | 'supplier' | 'supplierId' | 'displaces' | 'kind'>;

/** Says in sentences why an approval waits, and what is sent along with its rows. */
export function whyWords({ over, because, redone, supplier, supplierId, displaces, kind }: WhyNeeded): string {
  const words = over ? [overWords(over)] : [];
  // An import waits for one of these reasons alone.
  if (!over && !redone) words.push(BECAUSE[because ?? (kind === 'import' ? 'always' : 'unknown')]);
  if (redone) words.push(`Some of what was asked for here was declined before${redone === '1' ? '' : `, ${redone}`}.`);
  const goes = kind === 'import' ? 'is created first, unless it was before' : 'is sent again';
  if (supplier) words.push(`The company of the supplier ${supplier} ${goes}.`);
  if (supplierId) words.push(`The supplier is the company ${supplierId} of the service.`);
  if (displaces)
    words.push(
      `It takes the place of ${displaces}, which was approved for this portfolio and is not created yet, and is not created then.`,
    );
  if (kind === 'answer') words.push('If the service did make something of a call that is sent again, it exists twice.');
  return words.join(' ');
}

/**
 * {@link whyWords} of an approval that was asked for before. Its sum is that of then.
 *
 * @param isOld whether a yes covers or requests something else by now; by default whether rows of it are gone
 */
export function whyAskedWords(approval: Approval, isOld = hasFewer(approval)): string {
  const why = whyWords(approval);
  return approval.over && isOld ? `When this was asked for: ${why}` : why;
}

const hasFewer = ({ atFirst, rows, sum }: Approval) =>
  atFirst !== undefined && (atFirst.rows !== rows || atFirst.sum !== sum);

/**
 * The approvals among these that a person declined, less those of which others ask for all the same rows again.
 *
 * @param all with the later approvals of the same rows
 */
export function standingNoes<A extends Approval>(all: readonly A[]): A[] {
  const again = (id: string) =>
    all.filter(({ redoneOf, standing }) => redoneOf === id && standing !== 'open' && standing !== 'void');
  return all.filter(({ id, standing, rows }) => {
    return standing === 'declined' && again(id).reduce((sum, one) => sum + one.rows, 0) < rows;
  });
}

/** Words for people while an approval is missing. */
export const BEFORE_YES = 'nothing is sent before somebody else with the role approver has said yes';

function overWords({ of, name, sum, limit }: NonNullable<Approval['over']>): string {
  if (of === 'alike')
    return `${name} may be one with more than 1,000 other buyers: what they are to get together is not known to be at most ${moneyText(limit)}.`;
  const passed = `with this and what passed lately without another person's yes`;
  const asks = {
    portfolio: `Portfolio ${name} asks for ${moneyText(sum)} with these rows`,
    rows: `These rows ask for ${moneyText(sum)} in all`,
    buyer: `${name} is to get ${moneyText(sum)} ${passed}`,
    person: `${name} asks for ${moneyText(sum)} ${passed}`,
  };
  return `${asks[of]}, which is above ${moneyText(limit)}.`;
}

/** The policy on when approval is needed, as the settings state it. Sums are decimal text. */
export type ApprovalPolicy = {
  /** APPROVE_ALWAYS: whatever the sum, approval is needed. */
  always: boolean;
  /** APPROVE_ABOVE: the highest sum of a portfolio, or of one buyer within the window, that needs no approval. */
  above: string | undefined;
  /** APPROVE_PERSON_ABOVE: the highest sum of rows that one person imported within the window that needs no approval. */
  personAbove?: string | undefined;
  /** APPROVE_WINDOW_DAYS: length of the window; undefined or 0 counts nothing from earlier days. */
  windowDays?: number | undefined;
  /** INBOX_APPROVERS: the only people who may approve dropped files; undefined: any approver may. */
  inboxApprovers?: readonly string[] | undefined;
};

type ApprovalSettings = {
  APPROVE_ALWAYS: 'on' | 'off';
  APPROVE_ABOVE?: string | undefined;
  APPROVE_PERSON_ABOVE?: string | undefined;
  APPROVE_WINDOW_DAYS: number;
  INBOX_APPROVERS: readonly string[];
};

/** The approval policy of a process' settings. */
export function policyOf(settings: ApprovalSettings): ApprovalPolicy {
  const { APPROVE_ABOVE: above, APPROVE_PERSON_ABOVE: personAbove, INBOX_APPROVERS: names } = settings;
  return {
    always: settings.APPROVE_ALWAYS === 'on',
    above,
    personAbove,
    // Without a sum above which an approval is needed, there is nothing to add up over a window of days.
    windowDays: above === undefined && personAbove === undefined ? 0 : settings.APPROVE_WINDOW_DAYS,
    inboxApprovers: names.length > 0 ? names : undefined,
  };
}

/** The policy by which no approval is needed. */
export const NO_APPROVAL: ApprovalPolicy = { always: false, above: undefined };

/** Combines two policies: always if either says so, the lower limits, the longer window, and the approvers whom both allow. */
export function stricterOf(one: ApprovalPolicy, other: ApprovalPolicy): ApprovalPolicy {
  const lower = (limits: (string | undefined)[]) =>
    limits.filter((limit) => limit !== undefined).sort((a, b) => new Big(a).cmp(b))[0];
  const [names, others] = [one.inboxApprovers, other.inboxApprovers];
  return {
    always: one.always || other.always,
    above: lower([one.above, other.above]),
    personAbove: lower([one.personAbove, other.personAbove]),
    windowDays: Math.max(one.windowDays ?? 0, other.windowDays ?? 0),
    inboxApprovers: names && others ? namedByBoth(names, others) : (names ?? others),
  };
}

/** The people whom both lists name. Where only one has a provider's ending `(sso …)`, that longer name stays. */
function namedByBoth(names: readonly string[], others: readonly string[]): string[] {
  return names.flatMap((name) => {
    if (others.some((other) => isNamed(other, name))) return [name];
    return others.filter((other) => isNamed(name, other));
  });
}

/** Whether nobody may approve dropped files, because the processes' settings have no name in common. */
export function leavesNobody({ inboxApprovers }: Pick<ApprovalPolicy, 'inboxApprovers'>): boolean {
  return inboxApprovers?.length === 0;
}

/** What is said where {@link leavesNobody}. */
export const NOBODY_NAMED =
  'INBOX_APPROVERS of the processes that run have no name in common, so nobody may approve files of the drop folder: set the same names for each, and start them again.';

/** Whether a policy can ask for approval at all. Rows that come in then wait until it is known whether they need one. */
export function asksApproval({ always, above, personAbove }: ApprovalPolicy): boolean {
  return always || above !== undefined || personAbove !== undefined;
}

/** Whether a sum, as decimal text, needs approval. */
export function asksApprovalOf({ always, above }: ApprovalPolicy, sum: string): boolean {
  return always || (above !== undefined && new Big(sum).gt(above));
}

/**
 * The outcome of a person's answer to an approval. Only `granted` and `declined` change anything. `gone`: no such approval, or it is void.
 * `changed`: it differs from what the person saw, or is not complete yet. `own`: the person asked for it, or is unknown. `answered`:
 * somebody answered before.
 */
export type AnswerTaken = 'granted' | 'declined' | 'gone' | 'changed' | 'own' | 'answered';

/** A supplier's call that was in doubt when a person looked at it, at `atMs`. */
export type SupplierInDoubt = { key: string; atMs: number };

/** Key of a supplier that exists at the service. Keys of suppliers to create have no colon. */
export const supplierKeyOf = (companyId: string): string => `${KNOWN}${companyId}`;

/** The id of the company in the key of a supplier that exists at the service; undefined for the key of a supplier to create. */
export const supplierIdIn = (key: string): string | undefined =>
  key.startsWith(KNOWN) ? key.slice(KNOWN.length) : undefined;

const KNOWN = 'id:';

export type ApprovalId = { portfolio: string; id: string };

/** Reads the name of an approval, `<portfolio>/<id>`, as lists of approvals have it; neither part contains a slash. */
export function approvalIdOf(name: string): ApprovalId {
  const slash = name.lastIndexOf('/');
  return { portfolio: name.slice(0, slash), id: name.slice(slash + 1) };
}
