import { grouped, moneyText } from '../../../counted.ts';
import type {
  ApprovalLook,
  CallElsewhere,
  PricedApproval,
  UnderstoodFile,
  WaitingRow,
} from '../../../ledger/approvals/approval-look.ts';
import { stateWords } from '../../../ledger/counts/row-outcome.ts';
import type { FoundInFile, ImportMade } from '../../../ledger/portfolios/imports.ts';
import { openRows } from '../../../ledger/portfolios/summary.ts';
import { type Approval, whyAskedWords } from '../../../ledger/schema/approval.ts';
import { untilResumed } from '../../../ledger/schema/pause-reasons.ts';
import type { RowState } from '../../../ledger/schema/row.ts';
import { readTotal } from '../../../portfolio/control-total.ts';
import { can, type Rights } from '../../access/access.ts';
import { countWords, type Html, type HtmlValue, html, t, translated } from '../../html/html.ts';
import { notice, pageHead, panel, requestBodies, type TableColumn, table } from '../../parts/blocks.ts';
import { facts, stats } from '../../parts/figures.ts';
import { linkButton } from '../../parts/form.ts';
import { count, cutWords, moment, money, theirWords, timeAgo, withNumbers } from '../../parts/text.ts';
import { rowAddress } from '../addresses.ts';
import { cellsTable } from '../new/mend-grid.ts';
import { madeWords, outSumWords, sentences } from '../new/words.ts';
import { otherRequestsNotice } from '../plans/plan-view.ts';
import { type Answering, answerPart } from './answer-forms.ts';
import { approvalSizeWords, KIND_WORDS, peopleWords, STANDING_WORDS, saidWords } from './approvals-list.ts';

/** The page of one approval: all that an approver must see, and the forms that answer. */
export function approvalPage(look: ApprovalLook, answering: Answering, rights: Rights): Html {
  const { file, since } = look;
  const approval = { ...look.approval, ...look.goes };
  const { portfolio, standing, answered } = approval;
  const why = withNumbers(whyAskedWords(look.approval, answered !== undefined || since.length > 0));
  return html`${pageHead({
    title: titleOf(approval),
    trail: [
      { href: '/approvals', words: t`Approvals` },
      { href: portfolioHref(approval), words: portfolio },
    ],
    lead: html`Asked for by ${peopleWords(approval.authors)}, ${timeAgo(approval.askedMs)}`,
    actions:
      file &&
      can(rights, 'GET /portfolios/:name/downloads/:file') &&
      linkButton({ href: originalHref(approval, file), words: t`Download the file`, download: true }),
  })}
  ${standing !== 'waiting' && outcome(look)}
  ${(standing === 'waiting' || answered) && notice('info', why)}
  ${look.portfolio.isPaused && (standing === 'waiting' || standing === 'granted') && notice('warn', untilResumed())}
  ${figuresOf({ ...look, approval }, look.goes.rows !== look.approval.rows)}
  ${standing === 'waiting' && look.unread && notice('warn', unreadWords(look.unread), { title: t`The file cannot be shown here.` })}
  ${since.length > 0 && notice('warn', html`<ul>${since.map((words) => html`<li>${withNumbers(words)}</li>`)}</ul>`, { title: t`What happened since it was asked for.` })}
  ${[look.others, look.alike].map((others) => others && otherRequestsNotice(others, t`Decline it if a second limit is not meant.`))}
  ${standing === 'waiting' && panel({ title: t`Your decision`, body: answerPart(approval, answering) })}
  ${file && changedPart(file)}
  ${standing === 'waiting' && html`${panel({ title: t`Largest rows`, body: largestPart(look) })}${panel({ title: t`What would be sent`, body: firstPart(look) })}`}
  ${file && panel({ title: t`How the file was read`, body: filePart(file) })}
  ${panel({ title: t`What exactly is approved`, body: boundPart(look.approval) })}`;
}

/** Without its copy nothing of a file is known but what the ledger keeps: how many values and lines people changed by hand. */
function unreadWords({ made }: NonNullable<ApprovalLook['unread']>): HtmlValue {
  const words = made ? madeWords(made) : '';
  const changed = words === '' ? '' : t` Changed by hand: ${words}.`;
  return withNumbers(
    t`Its copy is not in the data folder of this console, or takes too long to read. So its warnings, and how it was read, are not known here.${changed}`,
  );
}

function titleOf(approval: PricedApproval): Html {
  const { portfolio, kind, standing } = approval;
  if (standing === 'waiting') return html`Approve ${withNumbers(approvalSizeWords(approval))}?`;
  return html`<bdi>${portfolio}</bdi>: ${withNumbers(approvalSizeWords(approval))}, ${KIND_WORDS[kind]}`;
}

const portfolioHref = ({ portfolio }: Approval): string => `/portfolios/${encodeURIComponent(portfolio)}`;

function originalHref(approval: Approval, { number }: UnderstoodFile): string {
  return `${portfolioHref(approval)}/downloads/original?import=${number}`;
}

function outcome({ approval: { standing, answered, portfolio }, portfolio: whole }: ApprovalLook): Html {
  const by = answered && html` by ${answered.by}, ${moment(answered.atMs)}`;
  const words = answered && answered.words !== '' && html` “<bdi>${answered.words}</bdi>”`;
  switch (standing) {
    case 'granted':
      return notice(
        'good',
        html`${by}. ${!whole.isPaused && openRows(whole) > 0 ? t`Its rows are being sent.` : ''}${words} <a href="/portfolios/${encodeURIComponent(portfolio)}">See the progress</a>`,
        { title: t`Approved` },
      );
    case 'declined':
      return notice('warn', html`${by}.${words} Nothing was sent.`, { title: t`Declined` });
    case 'void':
      return notice('info', t`Its rows were changed, cancelled or replaced.`, {
        title: t`Nothing is left to approve.`,
      });
    default:
      return notice('info', t`The file is still being imported, so it cannot be approved yet. Nothing is sent.`, {
        title: t`It is ${STANDING_WORDS[standing]}.`,
      });
  }
}

/** @param hasLess whether a yes requests less now than was asked for */
function figuresOf({ approval, portfolio, file }: ApprovalLook, hasLess: boolean): Html {
  const { rows, sum, currency, answered } = approval;
  const ofFile = file?.fileWarnings.length ?? 0;
  const warned = ofFile + (file?.warnings.reduce((total, { lines }) => total + lines, 0) ?? 0);
  return stats([
    { label: t`Rows`, value: grouped(rows), hint: KIND_WORDS[approval.kind] },
    {
      label: approval.kind === 'answer' ? t`Their amounts` : hasLess ? t`Requested by a yes now` : t`To be requested`,
      value: money({ amount: sum, currency }),
    },
    {
      label: answered ? t`The whole portfolio now` : t`The whole portfolio`,
      value: money({ amount: portfolio.sum, currency: portfolio.currency }),
      hint: statesWords(portfolio.states),
    },
    ...(file?.found
      ? [
          {
            label: t`Lines of the file`,
            value: grouped(file.found.lines),
            hint: withNumbers(leftOutWords(file.found, rows, file.made)),
          },
          {
            label: t`Warnings`,
            value: grouped(warned),
            hint: t`${ofFile > 0 ? t`${grouped(ofFile)} on the whole file; ` : ''}for your information`,
            ...(warned > 0 ? { kind: 'warn' as const } : {}),
          },
        ]
      : []),
  ]);
}

/**
 * How many lines of the file request nothing: lines with errors and duplicate lines, lines whose rows are not among the approval's (any
 * more), and lines that people left out by hand before the import.
 */
function leftOutWords(
  { invalid, duplicate, rows: led }: FoundInFile,
  rows: number,
  { leftOut = 0, outSum }: ImportMade = {},
): string {
  const left = invalid + duplicate;
  const parts = [
    ...(left > 0 ? [t`${grouped(left)} left out: with errors or duplicate`] : []),
    ...(led > rows ? [t`${grouped(rows)} of them to be requested`] : []),
  ];
  const words = parts.join('; ');
  if (leftOut === 0) return words || t`all are included`;
  const byHand = t`${grouped(leftOut)} more ${leftOut === 1 ? t`was` : t`were`} left out by hand${outSumWords(outSum)}`;
  return `${words || t`all of these are included`}; ${byHand}`;
}

function statesWords(states: ApprovalLook['portfolio']['states']): string {
  const counts = new Map<string, number>();
  for (const [state, count] of Object.entries(states)) {
    const words = state === 'held' && count > 1 ? t`need an answer` : translated(stateWords(state as RowState));
    if (count > 0) counts.set(words, (counts.get(words) ?? 0) + count);
  }
  const there = [...counts].map(([words, count]) => `${grouped(count)} ${words}`).join(', ');
  return states.cancelled > 0 ? t`${there}. What is not sent is not in this sum.` : there;
}

function largestPart({ approval, largest, isLargestExact }: ApprovalLook): Html {
  const columns: TableColumn<WaitingRow>[] = [
    { head: t`Line`, kind: 'number', cell: ({ line }) => grouped(line) },
    {
      head: t`Buyer`,
      names: true,
      cell: ({ row, name, elsewhere }) =>
        html`<a href="${rowAddress(row)}">${theirWords(name)}</a>${elsewhere && html`<small class="under">${ELSEWHERE_WORDS[elsewhere]}</small>`}`,
    },
    { head: t`Requested`, kind: 'amount', cell: (row) => money({ amount: row.amount, currency: approval.currency }) },
    ...(approval.kind === 'answer'
      ? [{ head: t`Answer`, kind: 'id' as const, cell: ({ said }: WaitingRow) => saidWords(said) }]
      : []),
  ];
  if (largest.length === 0) return html`<p>No row waits any more.</p>`;
  return html`${table({ caption: t`The largest rows`, rows: largest, columns })}
    <p class="hint">${!isLargestExact && t`Only a part of the rows was searched for the largest. `}<a href="${portfolioHref(approval)}?states=awaiting#rows">All rows that wait</a></p>`;
}

const ELSEWHERE_WORDS: Readonly<Record<CallElsewhere, string>> = {
  made: t`requested elsewhere: not sent again`,
  held: t`held elsewhere: not sent now`,
  'under way': t`under way elsewhere: not sent now`,
};

function firstPart({ first, largest }: ApprovalLook): Html {
  if (first.length === 0)
    return html`<p>${largest.length === 0 ? t`No row waits any more.` : t`Nothing is sent for the first rows: they count as made, or their result is not known yet.`}</p>`;
  return requestBodies(first);
}

function filePart(file: UnderstoodFile): Html {
  const { name, number, by, made, columns, readOnly, reading, fileWarnings, warnings, lookedThrough, isWhole } = file;
  const left = columns.filter(({ known }) => known === undefined).map(({ written }) => written);
  const sent = columns.filter(({ written, known }) => known !== undefined && !readOnly.includes(written));
  return html`${fileWarnings.length > 0 && notice('warn', sentences(fileWarnings))}${facts([
    {
      term: t`File`,
      what: html`${theirWords(name)} (import ${count(number)}${by !== undefined && html`, by ${by}`})`,
    },
    ...(made === undefined ? [] : madeFacts(made)),
    { term: t`Read as`, what: reading.join(', ') || t`without changes` },
    ...columnsFact(t`Columns read, but not sent`, readOnly),
    ...columnsFact(t`Columns not sent`, left),
  ])}
  ${table({
    caption: t`Columns and what they are sent as`,
    rows: sent,
    columns: [
      { head: t`Column`, names: true, cell: ({ written }) => theirWords(written) },
      { head: t`Sent as`, cell: ({ known }) => html`<code>${known}</code>` },
    ],
  })}
  ${
    warnings.length > 0 &&
    table({
      caption: t`Warnings`,
      showCaption: true,
      rows: warnings,
      columns: [
        { head: t`Warning`, names: true, cell: ({ words }) => html`<bdi>${withNumbers(cutWords(words))}</bdi>` },
        { head: t`Lines`, kind: 'number', cell: ({ lines }) => grouped(lines) },
        { head: t`First in line`, kind: 'number', cell: ({ first }) => grouped(first) },
      ],
    })
  }
  <p class="hint">${isWhole ? t`${countWords(lookedThrough, 'line was', 'lines were')} checked: the whole file.` : t`The first ${countWords(lookedThrough, 'line')} were checked for warnings; the file has more.`}</p>`;
}

function columnsFact(term: string, columns: readonly string[]): { term: string; what: Html }[] {
  if (columns.length === 0) return [];
  return [{ term, what: html`${columns.map((one, place) => html`${place > 0 && ', '}${theirWords(one)}`)}` }];
}

/** What people changed in the uploaded file by hand: each value before and after, as far as the upload is still kept. */
function changedPart({ made, changes }: UnderstoodFile): Html | false {
  const words = made ? madeWords(made) : '';
  if (words === '') return false;
  const { values = [], leftOut = [] } = changes ?? {};
  const cells = values
    .toSorted((one, other) => weightOf(one.before) - weightOf(other.before))
    .map(({ line, before: { column, cell }, now }) => ({ line, column, before: cell, after: now.cell }));
  const lines = leftOut.slice(0, MOST_LINES).map(grouped).join(', ');
  const more = leftOut.length > MOST_LINES ? t` and ${grouped(leftOut.length - MOST_LINES)} more` : '';
  return panel({
    title: t`Changed by hand`,
    body: html`<p>${withNumbers(words)}. ${leftOut.length > 0 && withNumbers(t`Lines left out: ${lines}${more}.`)}</p>
      ${cells.length > 0 && cellsTable(t`Values before and after`, cells)}
      ${!changes && html`<p class="hint">The upload is not kept any more, so its values are not known. Download the file to see them as they are now.</p>`}`,
  });
}

/**
 * The place of a changed value among those that are shown: first whole lines and amounts, then names, other columns that are sent, and the rest.
 * Only so many are shown, and no harmless change may hide one of money.
 */
function weightOf({ column, meaning }: { column: string | null; meaning: string | null }): number {
  if (column === null || meaning === 'requested_limit') return 0;
  if (meaning === 'name') return 1;
  return meaning === null ? 3 : 2;
}

/** The most lines that were left out and are named by number. */
const MOST_LINES = 20;

/** What people chose when they submitted the file. */
function madeFacts(made: ImportMade): { term: string; what: HtmlValue }[] {
  const { first, total } = made;
  return [
    ...(first === undefined ? [] : [{ term: t`Sent first`, what: t`${countWords(first, 'row')}, then it waits` }]),
    ...(total === undefined ? [] : [{ term: t`Control total`, what: withNumbers(t`${readTotal(total)}, agreed`) }]),
  ];
}

function boundPart({ rows, sum, currency, file, digest }: PricedApproval): Html {
  return html`<p>An approval is for exactly these rows, this sum, this file and how it was read. If any of it changes, the fingerprint changes, and it has to be approved again.</p>
  ${facts([
    { term: t`Rows and sum`, what: withNumbers(`${grouped(rows)}, ${moneyText(sum, currency)}`) },
    ...(file
      ? [{ term: t`File`, what: html`${theirWords(file.name)} <code>${file.sha256.slice(0, 16)}…</code>` }]
      : []),
    { term: t`Fingerprint`, what: html`<code>${digest}</code>` },
  ])}`;
}
