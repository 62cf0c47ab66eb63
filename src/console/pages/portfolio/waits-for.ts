import { grouped, moneyText } from '../../../counted.ts';
import type { FailedSessions } from '../../../ledger/calls/sessions.ts';
import { isPending, laterSupplierWords } from '../../../ledger/portfolios/portfolio.ts';
import { isPaused, openRows } from '../../../ledger/portfolios/summary.ts';
import type { RowId } from '../../../ledger/schema/schema.ts';
import { describeBlock, describeTripped } from '../../../pace/breaker-words.ts';
import { describePace, isOrdinaryWait } from '../../../pace/pace-words.ts';
import { sentence } from '../../../sentence.ts';
import { countWords, type Html, type HtmlValue, html, t } from '../../html/html.ts';
import { type BannerKind, notice } from '../../parts/blocks.ts';
import { listWords, withNumbers } from '../../parts/text.ts';
import { approvalAddress, portfolioAddress, rowAddress } from '../addresses.ts';
import { peopleWords } from '../approvals/approvals-list.ts';
import type { PortfolioLook } from './portfolio-look.ts';

/**
 * A reason why a portfolio waits. `command` ends the wait. `href` is the page on which a person can end it, and `act` names what
 * people do on that page.
 */
export type Wait = {
  kind: BannerKind;
  title: string;
  words: HtmlValue;
  command?: string;
  href?: string;
  act?: 'resume' | 'answer';
};

type Looked = Pick<PortfolioLook, 'state' | 'pace' | 'workers' | 'pausedQueues' | 'nowMs'> &
  Partial<Pick<PortfolioLook, 'waiting' | 'declined'>>;

/** What a portfolio waits for, people's tasks first; empty where nothing holds it up. */
export function waitsFor(look: Looked): Wait[] {
  return [
    ...waitsForPeople(look),
    ...waitsForApproval(look),
    ...declinedBy(look),
    ...waitsForTheLine(look),
    ...waitsAfterTheFirst(look),
  ];
}

function waitsForPeople({ state }: Looked): Wait[] {
  const { name, paused, interrupted, supplier, states } = state;
  const waits: Wait[] = [];
  if (isPaused(state)) {
    const why = paused || t`by request`;
    const words = sentence(t`${why}: nothing new is sent until it is resumed`);
    waits.push({ kind: 'warn', title: t`Paused.`, words, act: 'resume' });
  }
  if (interrupted) {
    const words = t`An import stopped before its end, so lines are missing: import the file again, or once more the file that takes its place.`;
    waits.push({ kind: 'bad', title: t`Incomplete import.`, words, href: '/new' });
  }
  if (supplier?.problem !== undefined) {
    waits.push({
      kind: 'bad',
      title: t`The supplier is missing.`,
      words: t`It could not be created: ${supplier.problem}`,
    });
  } else if (supplier && isPending(supplier)) {
    waits.push({ kind: 'info', title: t`Supplier first.`, words: t`Rows are sent once their supplier is created.` });
  }
  const later = laterSupplierWords(state);
  if (later) waits.push({ kind: 'warn', title: t`Another supplier.`, words: later });
  if (states.held > 0) {
    const words = t`It is not known whether the service has the ${states.held === 1 ? t`request` : t`requests`}. Somebody has to find out before anything is sent again.`;
    const href = `/portfolios/${encodeURIComponent(name)}/held`;
    waits.push({
      kind: 'warn',
      title: `${countWords(states.held, 'row needs an answer', 'rows need an answer')}.`,
      words,
      href,
      act: 'answer',
    });
  }
  return waits;
}

/**
 * The approvals for which rows of the portfolio wait. A list of portfolios gives no `waiting`; only the number of waiting rows is
 * known then.
 */
function waitsForApproval({ state, waiting = [], nowMs }: Looked): Wait[] {
  const { awaiting } = state.states;
  const waits = waiting.map(({ approval, approvers }): Wait => {
    const { id, rows, sum, currency, authors, askedMs, approvers: named } = approval;
    const somebody = named
      ? t`${listWords(named, 'or')}, with the role approver, must`
      : t`somebody else with the role approver must`;
    const who = approvers.length === 0 ? somebody : t`${peopleWords(approvers)} may`;
    const words = t`${countWords(rows, 'row')}, ${moneyText(sum, currency)}, asked for by ${peopleWords(authors)} ${sinceWords(nowMs - askedMs)}: ${who} approve it. Nothing is sent before somebody does.`;
    return { kind: 'warn', title: t`Waits for approval.`, words: withNumbers(words), href: approvalAddress(id) };
  });
  if (waits.length > 0 || awaiting === 0 || state.importing) return waits;
  const words = t`${countWords(awaiting, 'row is', 'rows are')} not sent before a colleague has approved.`;
  return [{ kind: 'warn', title: t`Waits for approval.`, words: withNumbers(words), href: '/approvals' }];
}

/** The imports that a colleague declined, with the reason. A list of portfolios gives none of them. */
function declinedBy({ state, declined = [] }: Looked): Wait[] {
  return declined.map(({ rows, sum, currency, answered }): Wait => {
    const { by = '', words: why = '' } = answered ?? {};
    const what = t`${by} declined ${countWords(rows, 'row')}, ${moneyText(sum, currency)}`;
    const words = html`${withNumbers(what)}${why === '' ? '.' : html`: “<bdi>${why}</bdi>”.`} They are not sent. <a href="${portfolioAddress(state.name, { outcomes: ['not_sent'] })}">See these rows</a>, and send them from there: that needs an approval once more.`;
    return { kind: 'warn', title: t`Declined.`, words };
  });
}

function sinceWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return t`just now`;
  return minutes < 120 ? t`${minutes} min ago` : t`${Math.floor(minutes / 60)} h ago`;
}

/** Says that a portfolio will pause after its first rows, so that a person who adds rows now knows that those will wait. */
function waitsAfterTheFirst({ state }: Looked): Wait[] {
  const { first, paused } = state;
  if (first === undefined || paused !== undefined || openRows(state) === 0) return [];
  const words = t`${countWords(first, 'row is', 'rows are')} sent first; then the portfolio pauses, and the rest is sent when it is resumed.`;
  return [{ kind: 'info', title: t`First rows only.`, words: withNumbers(words) }];
}

function waitsForTheLine({ state, pace, workers, pausedQueues, nowMs }: Looked): Wait[] {
  const waits: Wait[] = [];
  if (state.importing) {
    waits.push({
      kind: 'info',
      title: t`Importing.`,
      words: t`The file is still being read, so the counts are growing.`,
    });
  }
  if (openRows(state) === 0 || state.paused !== undefined) return waits;
  if (pausedQueues.length > 0) {
    const queues =
      pausedQueues.length === 1 ? t`queue ${pausedQueues[0]} is` : t`queues ${pausedQueues.join(t` and `)} are`;
    const words = t`The ${queues} paused for all portfolios. Rows wait until an operator resumes it.`;
    waits.push({ kind: 'warn', title: t`Queue paused.`, words, href: '/work' });
  }
  if (workers === 0) {
    const words = t`Nothing is sent, because no worker runs. An operator can start one.`;
    return [...waits, { kind: 'bad', title: t`Sending is stopped.`, words, command: 'npx limitline work' }];
  }
  const blocked = pace?.blocked && pace.blocked.untilMs > nowMs ? pace.blocked : undefined;
  // The line at the top of the page tells of a wait that belongs to ordinary work.
  if (blocked && isOrdinaryWait(blocked, nowMs)) return waits;
  if (blocked) {
    // The description of full memory says itself when calls go on (nearlyFullWords), so this sentence is left out for it.
    const last = blocked.because === 'memory' ? '' : t` It continues automatically.`;
    const words = `${sentence(describeBlock(blocked, nowMs))}${last}`;
    return [...waits, { kind: 'warn', title: t`Sending waits.`, words }];
  }
  if (pace?.tripped && pace.tripped.length > 0) {
    return [
      ...waits,
      { kind: 'warn', title: t`Some requests wait.`, words: sentence(describeTripped(pace.tripped, nowMs)) },
    ];
  }
  return waits;
}

/** The words for a finished portfolio. The number of rejected rows is in them, so that they do not sound as if all went well. */
function finishedWords({ states: { refused } }: Looked['state']): string {
  return refused === 0 ? t`finished` : t`finished, ${grouped(refused)} rejected`;
}

/** The first reason why a portfolio waits, in a few words for a list. Where nothing holds the portfolio up, its current state. */
export function waitWords(look: Looked): string {
  const [first] = waitsFor(look);
  if (first) return first.title.replace(/\.$/, '');
  if (openRows(look.state) === 0) return finishedWords(look.state);
  return (look.pace && describePace({ ...look.pace, tripped: [] }, look.nowMs)) || t`starting`;
}

const MOST_NAMED = 10;

/** Hosted sessions without a link: which rows, and what to do. */
export function failedSessions({ refused, held }: FailedSessions): Html {
  const named = (rows: readonly RowId[]) =>
    html`${rows.slice(0, MOST_NAMED).map((row, at) => html`${at > 0 && ', '}<a href="${rowAddress(row)}"><code>${row.key}</code></a>`)}${rows.length > MOST_NAMED && ' …'}`;
  return html`${
    refused.length > 0 &&
    notice(
      'warn',
      html`Read the service’s answer on the page of the row, and request another one there: ${named(refused)}.`,
      {
        title: t`${countWords(refused.length, 'hosted session was', 'hosted sessions were')} rejected by the service.`,
      },
    )
  }${
    held.length > 0 &&
    notice('warn', html`Ask the service’s people, or request a second one on the page of the row: ${named(held)}.`, {
      title: t`Nobody knows what became of ${countWords(held.length, 'hosted session')}.`,
    })
  }`;
}
