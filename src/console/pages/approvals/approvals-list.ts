import { grouped, moneyText } from '../../../counted.ts';
import type { PricedApproval } from '../../../ledger/approvals/approval-look.ts';
import { type Approval, type ApprovalKind, leavesNobody, NOBODY_NAMED } from '../../../ledger/schema/approval.ts';
import { countWords, type Html, html, t, translated } from '../../html/html.ts';
import { emptyState, notice, pageHead, panel, type TableColumn, table } from '../../parts/blocks.ts';
import { linkButton } from '../../parts/form.ts';
import { commandLine, count, money, theirWords, timeAgo } from '../../parts/text.ts';
import { approvalAddress } from '../addresses.ts';

export type ApprovalsList = {
  /** Open approvals, the oldest first, at most one page of them. */
  waiting: readonly PricedApproval[];
  total: number;
  /** Answered approvals, the latest answer first. */
  answered: readonly PricedApproval[];
  /** Whether the console has users, or an identity provider has approvers: without any, nobody can approve. */
  hasUsers: boolean;
};

/** The page of approvals. `isOwn` marks those that the reader may not answer. */
export function approvalsPage(list: ApprovalsList, isOwn: (approval: PricedApproval) => boolean): Html {
  const { waiting, total, answered, hasUsers } = list;
  return html`${pageHead({
    title: t`Approvals`,
    lead: t`A colleague must approve these before they are sent. Nobody can approve what they asked for themselves.`,
  })}
  ${!hasUsers && total > 0 && noUsers()}
  ${hasUsers && waiting.some(({ approvers }) => leavesNobody({ inboxApprovers: approvers })) && nobodyNamed()}
  ${
    waiting.length === 0
      ? emptyState({
          title: t`Nothing waits for approval`,
          words: t`Requests above the amount set for your company wait here for a second person.`,
          next: linkButton({ href: '/', words: t`To the portfolios` }),
        })
      : panel({
          title: t`${countWords(total, 'waits', 'wait')}, oldest first`,
          body: html`${table({ caption: t`What waits for approval`, rows: waiting, columns: waitingColumns(isOwn) })}
            ${total > waiting.length && html`<p class="hint">And ${count(total - waiting.length)} more: they appear as these are answered.</p>`}`,
        })
  }
  ${
    answered.length > 0 &&
    panel({
      title: t`Decided lately`,
      body: table({ caption: t`Decided lately`, rows: answered, columns: ANSWERED_COLUMNS }),
    })
  }`;
}

/** Says that nobody can approve yet, and how to add a user. */
export function noUsers(): Html {
  const words = html`An admin has to add a user with the role approver. ${commandLine('npx limitline user add NAME --roles approver')}`;
  return notice('warn', words, { title: t`Nobody can approve yet.` });
}

/** Says that the settings let nobody approve dropped files. */
export function nobodyNamed(): Html {
  return notice('warn', NOBODY_NAMED, { title: t`Nobody can approve files of the drop folder.` });
}

const PORTFOLIO: TableColumn<PricedApproval> = {
  head: t`Portfolio`,
  names: true,
  cell: ({ id, portfolio, file }) =>
    html`<span><a href="${approvalAddress(id)}"><bdi>${portfolio}</bdi></a>${file && html`<small class="under">${theirWords(file.name)}</small>`}</span>`,
};

const SIZE: readonly TableColumn<PricedApproval>[] = [
  { head: t`What`, cell: ({ kind }) => KIND_WORDS[kind] },
  { head: t`Rows`, kind: 'number', cell: ({ rows }) => grouped(rows) },
  { head: t`Amount`, kind: 'amount', cell: ({ sum, currency }) => money({ amount: sum, currency }) },
];

function waitingColumns(isOwn: (approval: PricedApproval) => boolean): TableColumn<PricedApproval>[] {
  return [
    PORTFOLIO,
    ...SIZE,
    {
      head: t`Asked for by`,
      cell: (approval) =>
        html`${peopleWords(approval.authors)}${isOwn(approval) && html` <small class="under">yours: a colleague decides</small>`}`,
    },
    { head: t`Since`, cell: ({ askedMs }) => timeAgo(askedMs) },
    { head: t`Fingerprint`, wideOnly: true, cell: ({ digest }) => html`<code>${shortDigest(digest)}</code>` },
  ];
}

const ANSWERED_COLUMNS: readonly TableColumn<PricedApproval>[] = [
  PORTFOLIO,
  ...SIZE,
  { head: t`Asked for by`, cell: ({ authors }) => peopleWords(authors) },
  {
    head: t`Decision`,
    cell: ({ standing, answered }) =>
      html`<span>${STANDING_WORDS[standing]}${answered && html` by ${answered.by}`}${answered && answered.words !== '' && html`<small class="under"><bdi>${answered.words}</bdi></small>`}</span>`,
  },
  { head: t`When`, cell: ({ answered, askedMs }) => timeAgo(answered?.atMs ?? askedMs) },
];

/** What an approval allows to do with its rows, in words, by the approval's kind. */
export const KIND_WORDS: Readonly<Record<ApprovalKind, string>> = {
  import: t`to be requested`,
  retry: t`to be sent again`,
  answer: t`answers to rows with an unknown result`,
};

export const STANDING_WORDS: Readonly<Record<Approval['standing'], string>> = {
  open: t`still being imported`,
  waiting: 'waits',
  granted: t`approved`,
  declined: t`declined`,
  void: t`nothing left to approve`,
};

/** The rows and the sum of an approval as a text: `120 rows, EUR 1,250,000.50`. */
export function approvalSizeWords({ rows, sum, currency }: Pick<PricedApproval, 'rows' | 'sum' | 'currency'>): string {
  return `${countWords(rows, 'row')}, ${moneyText(sum, currency)}`;
}

/** An answer to a held call, as a text. */
export function saidWords(said: string | undefined): string {
  if (said === undefined) return '–';
  return said === 'resend' ? t`not made: send it again` : t`made: ${said}`;
}

/** The start of a digest, for two people to compare over the telephone. */
const shortDigest = (digest: string): string => digest.slice(0, 10);

/** The names of people as a text: `alice, bob and 3 others`; empty for no names. */
export function peopleWords(names: readonly string[], join: 'and' | 'or' = 'and'): string {
  const shown = names.slice(0, MOST_PEOPLE);
  const others = names.length - shown.length;
  if (others > 0) return `${shown.join(', ')} ${translated(join)} ${countWords(others, 'other')}`;
  const [last = '', ...before] = shown.toReversed();
  return before.length === 0 ? last : `${before.toReversed().join(', ')} ${translated(join)} ${last}`;
}

/** The most people whom a sentence names; the others are only counted. */
const MOST_PEOPLE = 5;
