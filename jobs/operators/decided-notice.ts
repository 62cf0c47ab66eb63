import { counted, grouped } from '../../src/counted.ts';
import { amountText, shareOf } from '../../src/ledger/counts/amounts.ts';
import type { MeaningStore } from '../../src/ledger/counts/meaning-store.ts';
import { outcomeOfAnswer, ROW_OUTCOMES, SHARES } from '../../src/ledger/counts/row-outcome.ts';
import type { Decided, DecidedRow } from '../../src/ledger/rows/decisions.ts';
import { rowIdOf } from '../../src/ledger/schema/schema.ts';
import type { Notice, Outbox } from '../../src/notices/notice.ts';
import { countedStatus, type Meanings } from '../../src/status-meaning.ts';

/** The words of a notice for each kind of decision. */
const DECIDED = {
  approved: 'approved',
  declined: 'declined',
  under_review: 'still under review',
  answered: ROW_OUTCOMES.answered,
} as const;

type Verdict = keyof typeof DECIDED;

export type TellDeps = {
  decisions: Pick<Decided, 'untold' | 'toldTo' | 'noteTold'>;
  statusMeanings: Pick<MeaningStore, 'read'>;
  /** The outbox for notices; without it nobody is notified. */
  outbox?: Outbox | undefined;
};

/**
 * Sends a notice for each portfolio with rows that a decision changed. One step sends it and stores the number of the last row told, so
 * each row is told once, even if several processes do this or one is killed. Returns the number of notices.
 *
 * @param given.beforeMs tells only if the last row changed before this time, in ms: the process that changed it then died without telling
 */
export async function tellDecided(
  { decisions, statusMeanings, outbox }: TellDeps,
  { beforeMs = Number.POSITIVE_INFINITY }: { beforeMs?: number } = {},
): Promise<number> {
  const rows = outbox ? await decisions.untold() : [];
  if (!outbox || (rows.at(-1)?.atMs ?? beforeMs) >= beforeMs) return 0;
  const meanings = await statusMeanings.read();
  let arose = 0;
  for (const [portfolio, some] of Map.groupBy(rows, ({ row }) => rowIdOf(row)?.portfolio ?? '')) {
    const subject = `portfolio ${portfolio} decided`;
    const { was, number: last } = await decisions.toldTo(subject);
    const news = some.filter(({ number }) => number > last);
    const state = `up to ${news.at(-1)?.number}`;
    const notice = decidedNotice(portfolio, verdictsOf(news, meanings), Date.now());
    if (news.length > 0) arose += await outbox.report([{ subject, was, state, notice }]);
    await decisions.noteTold(subject, some);
  }
  return arose;
}

/** The last decision about each row. */
function verdictsOf(news: readonly DecidedRow[], meanings: Meanings): Iterable<Verdict> {
  const verdicts = news.map(({ row, status, total }): [string, Verdict] => {
    // A notice does not tell whether a request was granted in whole or in part.
    const share = SHARES[shareOf(amountText(total ?? undefined), '0')] ?? 'unknown';
    const outcome = outcomeOfAnswer({ status: countedStatus(status), share }, meanings);
    return [row, outcome === 'partly_approved' ? 'approved' : outcome];
  });
  return new Map(verdicts).values();
}

/** A notice that decisions of the service came in for rows of a portfolio; `verdicts` has what was decided of each row. */
function decidedNotice(portfolio: string, verdicts: Iterable<Verdict>, atMs: number): Notice {
  const rows: Record<Verdict, number> = { approved: 0, declined: 0, under_review: 0, answered: 0 };
  for (const one of verdicts) rows[one] += 1;
  const said = (Object.keys(DECIDED) as Verdict[]).filter((one) => rows[one] > 0);
  const total = said.reduce((sum, one) => sum + rows[one], 0);
  const words = said.map((one) => `${grouped(rows[one])} ${DECIDED[one]}`).join(', ');
  return {
    kind: 'decided',
    title: `The service decided about ${counted(total, 'row')} of portfolio ${portfolio}: ${words}`,
    facts: said.map((one) => ({ term: `Rows ${DECIDED[one]}`, what: grouped(rows[one]) })),
    path: `/portfolios/${encodeURIComponent(portfolio)}`,
    atMs,
  };
}
