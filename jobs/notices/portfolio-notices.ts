import { counted, grouped, moneyText } from '../../src/counted.ts';
import type { Cause } from '../../src/ledger/counts/cause.ts';
import { mixedNote, moneyOf } from '../../src/ledger/counts/money.ts';
import { outcomesOf, soleCurrency } from '../../src/ledger/counts/outcome-sums.ts';
import { ROW_OUTCOMES, type RowOutcome } from '../../src/ledger/counts/row-outcome.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import { rowCountOf } from '../../src/ledger/portfolios/summary.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import { queryOfFilter, type RowFilter } from '../../src/ledger/search/row-filter.ts';
import type { Notice } from '../../src/notices/notice.ts';
import type { Meanings } from '../../src/status-meaning.ts';
import type { PortfolioNews } from './portfolio-changes.ts';

type Facts = Notice['facts'];

/** The most causes in a notice; the portfolio's page has all. */
const MOST_CAUSES = 5;

/**
 * A notice about a portfolio: name, counts, sums, and causes by step and status. Leaves out the service's own text, which may quote a row.
 */
export function portfolioNotice(
  news: PortfolioNews,
  given: { state: PortfolioState; causes: readonly Cause[]; meanings: Meanings; nowMs: number },
): Notice {
  const { state, causes, meanings, nowMs } = given;
  const { name } = state;
  const outcomes = outcomesOf(state, meanings);
  switch (news.is) {
    case 'settled': {
      const path = addressOf(name);
      const facts = [...sumFacts(state, outcomes), ...lineFacts(state), ...supplierFacts(state), ...causeFacts(causes)];
      return {
        kind: 'settled',
        title: `Portfolio ${name} ${state.states.held > 0 ? 'needs an answer' : 'has settled'}: ${outcomesText(outcomes)}`,
        facts,
        path,
        atMs: news.atMs,
      };
    }
    case 'paused':
      return {
        kind: 'paused',
        title: `Portfolio ${name} paused itself: ${pauseText(news)}`,
        facts: [
          { term: 'Rows', what: outcomesText(outcomes) },
          ...supplierFacts(state),
          ...causeFacts(causes),
          { term: 'To go on', what: pauseRemedy(news) },
        ],
        path: news.why.is === 'first rows' ? addressOf(name) : addressOf(name, FAILED),
        atMs: nowMs,
      };
    case 'failures': {
      const { failed, ended } = news;
      const percent = Math.round((1_000 * failed) / ended) / 10;
      return {
        kind: 'failures',
        title: `Portfolio ${name}: ${percent} % of its sent rows failed, ${grouped(failed)} of ${grouped(ended)}`,
        facts: [{ term: 'Rows', what: outcomesText(outcomes) }, ...causeFacts(causes)],
        path: addressOf(name, FAILED),
        atMs: nowMs,
      };
    }
  }
}

/** A notice about an approval: what and how much, without names. `currency`: of the sum, where it is known. */
export function approvalNotice(
  { id, portfolio, kind, rows, sum, askedMs }: Approval,
  currency: string | undefined,
): Notice {
  const money = moneyText(sum, currency);
  return {
    kind: 'awaiting',
    title: `Portfolio ${portfolio} awaits approval: ${counted(rows, 'row')}, ${money} to be requested`,
    facts: [
      { term: 'What', what: ASKED_FOR[kind] },
      { term: 'Rows', what: grouped(rows) },
      { term: 'To be requested', what: money },
    ],
    path: `/approvals/${encodeURIComponent(id)}`,
    atMs: askedMs,
  };
}

const ASKED_FOR: Readonly<Record<Approval['kind'], string>> = {
  import: 'the rows of an import',
  retry: 'refused rows, to be sent again',
  answer: 'answers to held rows',
};

const FAILED: RowFilter = { states: ['refused', 'held'] };

function addressOf(name: string, filter: RowFilter = {}): string {
  const query = queryOfFilter(filter);
  return `/portfolios/${encodeURIComponent(name)}${query === '' ? '' : `?${query}#rows`}`;
}

type Outcomes = ReturnType<typeof outcomesOf>;

/** How many rows have which outcome: `95 approved, 2 declined, 1 needs an answer`. */
function outcomesText(outcomes: Outcomes): string {
  const some = Object.entries(outcomes).filter(([, { rows }]) => rows > 0);
  const words = some.map(([one, { rows }]) => `${grouped(rows)} ${COUNTED_WORDS[one as RowOutcome]}`);
  return words.join(', ') || 'no rows';
}

function sumFacts(state: PortfolioState, outcomes: Outcomes): Facts {
  if (rowCountOf(state) === 0) return [];
  const currency = soleCurrency(state);
  const money = moneyOf(state, outcomes);
  const failed = (['rejected', 'needs_answer'] as const).filter((one) => outcomes[one].rows > 0);
  return [
    { term: 'Requested', what: moneyText(state.sums.requested, currency) },
    { term: 'Granted', what: moneyText(money.granted.amount, currency) },
    ...failed.map((one) => ({
      term: `Sum that ${FAILED_WORDS[one]}`,
      what: moneyText(outcomes[one].requested, currency),
    })),
    ...mixedNote(money).map((what) => ({ term: 'Currencies', what })),
  ];
}

/** The words of each outcome, to follow a number of rows. */
const COUNTED_WORDS = { ...ROW_OUTCOMES, answered: 'answered', needs_answer: 'in need of an answer' };

const FAILED_WORDS = { rejected: 'the service rejected', needs_answer: 'needs an answer' };

/** The facts about lines of the last import that led to no row. */
function lineFacts({ invalid, duplicate }: PortfolioState): Facts {
  const said = [
    ...(invalid > 0 ? [`${grouped(invalid)} invalid`] : []),
    ...(duplicate > 0 ? [`${grouped(duplicate)} duplicate`] : []),
  ];
  return said.length === 0 ? [] : [{ term: 'Lines without a row', what: said.join(', ') }];
}

/** The fact that the portfolio's supplier has no company. The reason quotes the service, so it is on the portfolio's page only. */
function supplierFacts({ supplier }: PortfolioState): Facts {
  if (supplier?.problem === undefined) return [];
  return [{ term: 'Supplier', what: 'no company was made for it: the page of the portfolio says why' }];
}

/** The facts about causes, grouped without the service's own text. */
function causeFacts(causes: readonly Cause[]): Facts {
  const alike = new Map<string, number>();
  for (const cause of causes) alike.set(causeText(cause), (alike.get(causeText(cause)) ?? 0) + cause.rows);
  const shown = [...alike].sort(([, one], [, other]) => other - one);
  const facts = shown
    .slice(0, MOST_CAUSES)
    .map(([what, rows]) => ({ term: 'Failed', what: `${counted(rows, 'row')}: ${what}` }));
  const rest = shown.slice(MOST_CAUSES).reduce((sum, [, rows]) => sum + rows, 0);
  return rest === 0 ? facts : [...facts, { term: 'Failed', what: `${counted(rest, 'row')}: for other causes` }];
}

function causeText({ step, meaning, status }: Cause): string {
  const by = status === null ? '' : ` (status ${status})`;
  return `${MEANINGS[meaning]} at the step ${step}${by}`;
}

const MEANINGS: Readonly<Record<Cause['meaning'], string>> = {
  refused: 'refused by the service',
  unknown: 'nobody knows what became of the call',
  'put off': 'put off again and again',
  other: 'made before for another line',
  ours: 'a fault of Limitline itself',
};

function pauseText({ why }: Extract<PortfolioNews, { is: 'paused' }>): string {
  if (why.is === 'first rows') return 'the rows that were to go first have ended';
  if (why.is === 'not ours') return 'one limit after the other was answered with the answer of another request';
  return `the first answers at the step ${why.step} were all refused with status ${why.status}`;
}

function pauseRemedy({ why }: Extract<PortfolioNews, { is: 'paused' }>): string {
  if (why.is === 'first rows') return 'look at what became of these rows, and resume the portfolio to send the rest';
  if (why.is === 'not ours') return 'say what became of the held rows, and resume the portfolio';
  return 'mend what the answers complain of, and resume the portfolio';
}
