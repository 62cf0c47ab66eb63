import { grouped } from '../../../counted.ts';
import { type AmountIn, exactText, soleCurrency, sumsByCurrency } from '../../../ledger/counts/outcome-sums.ts';
import type { PortfolioState } from '../../../ledger/portfolios/portfolio.ts';
import type { NewsKind, NewsSum } from '../../../ledger/rows/answered-lately.ts';
import type { Approval } from '../../../ledger/schema/approval.ts';
import { UNFINISHED_STATES } from '../../../ledger/schema/row.ts';
import type { HeldSummary } from '../../../ledger/story/row-story.ts';
import { DAY_MS } from '../../../time-units.ts';
import { can, type Rights } from '../../access/access.ts';
import { countWords, type Html, type HtmlValue, html, NOTHING, t } from '../../html/html.ts';
import { panel, table } from '../../parts/blocks.ts';
import { linkButton } from '../../parts/form.ts';
import { amount, minuteOf, sumsPart, withNumbers } from '../../parts/text.ts';
import { approvalAddress, below, portfolioAddress } from '../addresses.ts';
import { mayWords } from '../who-may.ts';

/** The account's work for people: held requests, with the names of those who may answer them, and approvals that wait or were declined. */
export type Needs = {
  held: HeldSummary & { answers: readonly string[] };
  /** The open approvals, the oldest first. */
  approvals: readonly OpenApproval[];
  /** The approvals that colleagues declined within a day, the latest first. */
  refusedByPeople: readonly RefusedApproval[];
};

export type OpenApproval = Pick<Approval, 'id' | 'rows' | 'askedMs' | 'authors' | 'approvers'> & AmountIn;

type RefusedApproval = Pick<Approval, 'id' | 'portfolio' | 'rows' | 'answered'> & AmountIn;

/** The data of the first page about people: tasks that wait for them, and what the service declined or lowered within a week. */
export type News = { needs: Needs; news: Record<NewsKind, NewsSum> };

/** The days after a portfolio's end in which the first page lists its lines to fix and rejected rows. Later only its own page has them. */
export const FIX_DAYS = 14;

/** The most portfolios that tasks name; more would push the list of portfolios out of sight. */
const MOST_NAMED = 5;

/** The addresses of the news. */
export const NEWS: Record<NewsKind, string> = { declined: '/declined', lowered: '/lowered' };

type Task = {
  words: HtmlValue;
  amount?: HtmlValue;
  sinceMs: number | undefined;
  /** A button or link to the page on which the task is done; or the names of the people who may do it. */
  way: Html;
  /** Whether the task is for somebody else, since the reader may not do it. */
  isOthers?: boolean;
};

/** The reader's rights on a portfolio, which may be the reader's own. */
type RightsOn = (portfolio: Pick<PortfolioState, 'owner'>) => Rights;

/** The tasks that wait for the reader, and apart those for colleagues, each with a link to its page; nothing if there are none. */
export function needsYou(
  { needs, news }: News,
  given: {
    portfolios: readonly PortfolioState[];
    /** The paused portfolios that still have rows to send. */
    paused: readonly PortfolioState[];
    pausedQueues: readonly string[];
    /** The time since when a portfolio has rejected rows, by the portfolio's name. */
    rejectedMs: ReadonlyMap<string, number>;
    nowMs: number;
    rights: Rights;
    /** The reader's name, as in `Person.by`. */
    by: string;
    /** Whether the approval itself lets the reader answer it, since nobody may approve what they asked for themselves. */
    mayAnswer: (approval: OpenApproval) => boolean;
  },
): Html {
  const { portfolios, paused, pausedQueues, rejectedMs, nowMs, rights, by, mayAnswer } = given;
  const rightsOn: RightsOn = ({ owner }) => ({ ...rights, owns: owner !== undefined && owner === by });
  const tasks = [
    ...heldTask(needs.held, portfolios, rights),
    ...approvalTasks(needs.approvals, (one) => can(rights, 'POST /approvals/:id/approve') && mayAnswer(one)),
    ...needs.refusedByPeople.map(refusedTask),
    ...resumeTasks(paused, rightsOn),
    ...fixTasks(portfolios, { rejectedMs, nowMs }, rightsOn),
    ...pausedTask(pausedQueues, rights),
    ...newsTask('declined', news.declined),
    ...newsTask('lowered', news.lowered),
  ];
  const [own, others] = [tasks.filter((task) => !task.isOthers), tasks.filter((task) => task.isOthers)];
  return html`${tasksPanel(t`Needs you`, { caption: t`What waits for people`, tasks: own })}
    ${tasksPanel(t`For colleagues`, { caption: t`What waits for colleagues`, tasks: others })}`;
}

function tasksPanel(title: string, { caption, tasks }: { caption: string; tasks: readonly Task[] }): Html {
  if (tasks.length === 0) return NOTHING;
  return panel({
    title,
    body: table({
      caption,
      rows: tasks,
      columns: [
        { head: t`What`, names: true, cell: ({ words }) => words },
        { head: t`Amount`, kind: 'amount', cell: (task) => task.amount ?? amount(undefined) },
        // The moment is shown, and not "4 s ago": that text would change the list each second, under the focus of the keyboard.
        {
          head: tasks.some(({ sinceMs }) => sinceMs !== undefined) ? t`Since (UTC)` : t`Since`,
          cell: ({ sinceMs }) => minuteOf(sinceMs),
        },
        { head: t`Go`, kind: 'actions', cell: ({ way }) => way },
      ],
    }),
  });
}

function heldTask(
  { total, sums, summed, oldestMs, answers }: Needs['held'],
  portfolios: readonly PortfolioState[],
  rights: Rights,
): Task[] {
  if (total === 0) return [];
  const places = portfolios.filter(({ states }) => states.held > 0).slice(0, MOST_NAMED);
  const mayAnswer = can(rights, 'GET /held');
  return [
    {
      isOthers: !mayAnswer,
      words: html`<span>${withNumbers(countWords(total, 'request needs', 'requests need'))} an answer<small class="under">Nobody knows whether the service has taken ${total === 1 ? t`it` : t`them`}: ask its people</small>${places.length > 0 && html`<small class="under">in ${places.map(({ name }, place) => html`${place > 0 && ', '}<a href="${portfolioAddress(name, { outcomes: ['needs_answer'] })}"><bdi>${name}</bdi></a>`)}</small>`}</span>`,
      amount: sumsPart(sums, summed === total),
      sinceMs: oldestMs,
      way: mayAnswer
        ? linkButton({ href: '/held', words: t`Answer`, kind: 'primary' })
        : html`<span class="quiet">${mayWords(answers, t`answer`)}</span>`,
    },
  ];
}

/** Requests that the reader may approve, and apart those that only colleagues may. */
function approvalTasks(open: readonly OpenApproval[], mayApprove: (approval: OpenApproval) => boolean): Task[] {
  return [true, false].flatMap((isOwn): Task[] => {
    const some = open.filter((one) => mayApprove(one) === isOwn);
    const [first, ...others] = some;
    if (!first) return [];
    const rows = some.reduce((sum, one) => sum + one.rows, 0);
    const href = others.length === 0 ? approvalAddress(first.id) : '/approvals';
    return [
      {
        isOthers: !isOwn,
        words: html`<span>${withNumbers(countWords(rows, 'request waits', 'requests wait'))} ${isOwn ? t`for your approval` : t`for a colleague’s approval`}<small class="under">Nothing of them is sent before that</small></span>`,
        amount: sumsPart(sumsByCurrency(some), true),
        sinceMs: first.askedMs,
        way: isOwn ? linkButton({ href, words: t`Review`, kind: 'primary' }) : linkButton({ href, words: t`Look` }),
      },
    ];
  });
}

/** A task for each approval that a colleague declined, so that the people who asked for it learn of that, with the reason. */
function refusedTask({ id, portfolio, rows, answered, ...sum }: RefusedApproval): Task {
  const { by = '', words = '', atMs } = answered ?? {};
  return {
    words: html`<span>${by} declined ${withNumbers(countWords(rows, 'request'))} of <bdi>${portfolio}</bdi>${words !== '' && html`<small class="under"><bdi>${words}</bdi></small>`}</span>`,
    amount: sumsPart([sum], true),
    sinceMs: atMs,
    way: linkButton({ href: approvalAddress(id), words: t`Look` }),
  };
}

/** The requests that the service declined, or the limits that it lowered, in the last seven days: a link to them, for information only. */
function newsTask(kind: NewsKind, { rows, sums, sinceMs, isAll }: NewsSum): Task[] {
  if (rows === 0 && isAll) return [];
  const isNo = kind === 'declined';
  const words = isNo
    ? countWords(rows, 'request was declined', 'requests were declined')
    : countWords(rows, 'limit was lowered', 'limits were lowered');
  const none = isNo ? t`Requests may have been declined` : t`Limits may have been lowered`;
  return [
    {
      words: html`<span>${isAll ? words : rows === 0 ? none : t`At least ${words}`}<small class="under">In the last 7 days</small></span>`,
      ...(isNo && { amount: sumsPart(sums, isAll) }),
      sinceMs,
      way: linkButton({ href: NEWS[kind], words: t`Look` }),
    },
  ];
}

/** A queue that somebody paused, which stops the rows of all portfolios. */
function pausedTask(queues: readonly string[], rights: Rights): Task[] {
  if (queues.length === 0) return [];
  const mayResume = can(rights, 'GET /work');
  return [
    {
      isOthers: !mayResume,
      words: html`<span>${queues.length === 1 ? t`A queue is paused` : t`${queues.length} queues are paused`}: ${queues.join(', ')}<small class="under">Rows of all portfolios wait there</small></span>`,
      sinceMs: undefined,
      way: mayResume
        ? linkButton({ href: '/work', words: t`Look` })
        : html`<span class="quiet">${mayWords([], t`resume`)}</span>`,
    },
  ];
}

/** Paused portfolios that the reader may resume. The panel *Not finished* tells other people who may resume them. */
function resumeTasks(paused: readonly PortfolioState[], rightsOn: RightsOn): Task[] {
  const own = paused.filter((state) => can(rightsOn(state), 'POST /portfolios/:name/resume', state.pauseKind));
  const tasks = own.map((state): Task => {
    const { name, sums, importing, pausedMs } = state;
    const waits = exactText(UNFINISHED_STATES.map((one) => sums.byState[one]));
    return {
      words: html`<span>${pausedWords(state)}<small class="under">Nothing more of it is sent before it is resumed</small></span>`,
      amount: sumsPart([{ amount: waits, currency: soleCurrency(state) }], !importing),
      sinceMs: pausedMs,
      way: linkButton({ href: portfolioAddress(name), words: t`Look`, kind: 'primary', label: t`Look at ${name}` }),
    };
  });
  return firstOf(tasks, (others) => countWords(others, 'more portfolio is paused', 'more portfolios are paused'));
}

function pausedWords({ name, pauseKind, first = 0 }: PortfolioState): Html {
  if (pauseKind === 'first rows')
    return html`<bdi>${name}</bdi> is paused after its first ${withNumbers(countWords(first, 'row'))}`;
  if (pauseKind === 'refused alike')
    return html`<bdi>${name}</bdi> is paused, since its first answers were all refused alike`;
  return html`<bdi>${name}</bdi> is paused`;
}

function fixTasks(
  portfolios: readonly PortfolioState[],
  { rejectedMs, nowMs }: { rejectedMs: ReadonlyMap<string, number>; nowMs: number },
  rightsOn: RightsOn,
): Task[] {
  const all = portfolios.flatMap((state): Task[] => {
    const rights = rightsOn(state);
    const mayLoad = can(rights, 'GET /portfolios/:name/downloads/:file');
    const { name, startedMs, finishedMs, invalid, kept, duplicate, states, leftOut, sums, file } = state;
    // A line that counts as the row it had before is to be fixed, too.
    const faulty = invalid + kept;
    const mayFix = faulty > 0 && can(rights, 'GET /new');
    // The lines to fix of a portfolio's only file are as old as the portfolio. Since when a later file has such lines is not known.
    const faultyMs = faulty > 0 && file?.number === 1 ? startedMs : undefined;
    const sinceMs = faultyMs ?? rejectedMs.get(name);
    if (faulty + states.refused === 0 || (finishedMs ?? nowMs) < nowMs - FIX_DAYS * DAY_MS) return [];
    const toLines = portfolioAddress(name, {}, { lines: ['invalid'] });
    const toRows = portfolioAddress(name, { outcomes: ['rejected'] });
    const parts = [
      ...(faulty > 0
        ? [html`<a href="${toLines}">${withNumbers(countWords(faulty, 'line to fix', 'lines to fix'))}</a>`]
        : []),
      ...(states.refused > 0
        ? [html`<a href="${toRows}">${withNumbers(t`${grouped(states.refused)} rejected by the service`)}</a>`]
        : []),
    ];
    // The sum `leftOut` covers faulty and duplicate lines together, so it is that of the faulty lines only if none is a duplicate.
    const isSum = invalid === 0 || (leftOut !== undefined && duplicate === 0);
    const known = [...(isSum && invalid > 0 && leftOut ? [leftOut.amount] : []), sums.byState.refused];
    // What a line asks for that counts as an earlier row is in no sum.
    const isWhole = isSum && kept === 0 && (invalid === 0 || leftOut?.bare === 0);
    const amounts = [{ amount: exactText(known), currency: soleCurrency(state) }];
    return [
      {
        isOthers: !mayFix && !(states.refused > 0 && can(rights, 'GET /plans/new', 'retry')),
        words: html`<span>${parts.map((part, place) => html`${place > 0 && ', '}${part}`)}<small class="under">in <a href="${portfolioAddress(name)}"><bdi>${name}</bdi></a></small></span>`,
        ...(isWhole || amounts[0]?.amount !== '0.00' ? { amount: sumsPart(amounts, isWhole) } : {}),
        sinceMs,
        way: mayLoad
          ? linkButton({
              href: below(name, 'downloads', 'errors.csv'),
              words: t`File to correct`,
              download: true,
              label: t`Download the file to correct of ${name}`,
            })
          : html`<a href="${portfolioAddress(name)}">Look</a>`,
      },
    ];
  });
  return firstOf(all, (others) => t`${countWords(others, 'more portfolio')} with lines to fix or rejected rows`);
}

/** At most {@link MOST_NAMED} of the tasks, the reader's own first, and a line with the number of tasks left out. */
function firstOf(all: readonly Task[], moreWords: (others: number) => string): Task[] {
  const tasks = all.toSorted((one, other) => Number(one.isOthers ?? false) - Number(other.isOthers ?? false));
  const others = tasks.splice(MOST_NAMED);
  if (others.length === 0) return tasks;
  const isOthers = others.every((task) => task.isOthers);
  return [...tasks, { isOthers, words: moreWords(others.length), sinceMs: undefined, way: NOTHING }];
}
