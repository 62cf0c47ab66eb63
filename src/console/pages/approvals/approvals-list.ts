import { counted, grouped } from '../../../counted.ts';
import type { Approval } from '../../../ledger/schema/approval.ts';
import { type Html, html } from '../../html/html.ts';
import { amount } from '../../parts/amount.ts';
import { linkButton } from '../../parts/button.ts';
import { commandLine } from '../../parts/command-line.ts';
import { emptyState } from '../../parts/empty-state.ts';
import { notice } from '../../parts/notice.ts';
import { pageHead, panel } from '../../parts/page-head.ts';
import { type Column, table } from '../../parts/table.ts';
import { theirWords } from '../../parts/their-words.ts';
import { timeAgo } from '../../parts/time.ts';
import { approvalAddress } from './approval-address.ts';
import { KIND_WORDS, peopleWords, STANDING_WORDS, shortDigest } from './approval-words.ts';

/** What waits, and what was answered lately. */
export type ApprovalsList = {
  /** The oldest first; at most so many as a page shows. */
  waiting: readonly Approval[];
  /** How many there are. */
  total: number;
  /** The latest first. */
  answered: readonly Approval[];
  /** Whether anybody can approve at all: without users nobody knows who does. */
  hasUsers: boolean;
};

/** The page of approvals; `isOwn` tells those that the person who looks may not answer. */
export function approvalsPage(list: ApprovalsList, isOwn: (approval: Approval) => boolean): Html {
  const { waiting, total, answered, hasUsers } = list;
  return html`${pageHead({
    title: 'Approvals',
    lead: 'What is listed here is not sent before somebody else than those who asked for it has looked at it and said yes.',
  })}
  ${!hasUsers && total > 0 && noUsers()}
  ${
    waiting.length === 0
      ? emptyState({
          title: 'Nothing waits for approval',
          words:
            'Portfolios, retries and answers to held rows above the limit that is set (APPROVE_ABOVE, APPROVE_ALWAYS) wait here for a second person.',
          next: linkButton({ href: '/', words: 'To the portfolios' }),
        })
      : panel({
          title: `${counted(total, 'waits', 'wait')}, oldest first`,
          body: html`${table({ caption: 'What waits for approval', rows: waiting, columns: waitingColumns(isOwn) })}
            ${total > waiting.length && html`<p class="hint">And ${grouped(total - waiting.length)} more: they come here as these are answered.</p>`}`,
        })
  }
  ${
    answered.length > 0 &&
    panel({
      title: 'Answered lately',
      body: table({ caption: 'What was answered lately', rows: answered, columns: ANSWERED_COLUMNS }),
    })
  }`;
}

/** Nobody can approve: what there is to do about it. */
export function noUsers(): Html {
  return notice(
    'warn',
    html`Approval needs people who are known by name. Add one who may approve: ${commandLine('npx limitline user add NAME --roles approver')}`,
    { title: 'Nobody can approve yet.' },
  );
}

const PORTFOLIO: Column<Approval> = {
  head: 'Portfolio',
  names: true,
  cell: ({ id, portfolio, file }) =>
    html`<span><a href="${approvalAddress(id)}"><bdi>${portfolio}</bdi></a>${file && html`<small class="under">${theirWords(file.name)}</small>`}</span>`,
};

const SIZE: readonly Column<Approval>[] = [
  { head: 'What', cell: ({ kind }) => KIND_WORDS[kind] },
  { head: 'Rows', kind: 'number', cell: ({ rows }) => grouped(rows) },
  { head: 'Amount', kind: 'amount', cell: ({ sum }) => amount(sum) },
];

function waitingColumns(isOwn: (approval: Approval) => boolean): Column<Approval>[] {
  return [
    PORTFOLIO,
    ...SIZE,
    {
      head: 'Asked for by',
      cell: (approval) =>
        html`${peopleWords(approval.authors)}${isOwn(approval) && html` <small class="under">yours: another person answers it</small>`}`,
    },
    { head: 'Since', cell: ({ askedMs }) => timeAgo(askedMs) },
    { head: 'Digest', wideOnly: true, cell: ({ digest }) => html`<code>${shortDigest(digest)}</code>` },
  ];
}

const ANSWERED_COLUMNS: readonly Column<Approval>[] = [
  PORTFOLIO,
  ...SIZE,
  { head: 'Asked for by', cell: ({ authors }) => peopleWords(authors) },
  {
    head: 'Answer',
    cell: ({ standing, answered }) =>
      html`<span>${STANDING_WORDS[standing]}${answered && html` by ${answered.by}`}${answered && answered.words !== '' && html`<small class="under"><bdi>${answered.words}</bdi></small>`}</span>`,
  },
  { head: 'When', cell: ({ answered, askedMs }) => timeAgo(answered?.atMs ?? askedMs) },
];
