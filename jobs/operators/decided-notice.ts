import { counted, grouped } from '../../src/counted.ts';
import type { LaterWord } from '../../src/ledger/rows/decisions.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { Notice, Outbox } from '../../src/notices/notice.ts';
import { type Meanings, statusMeaningOf } from '../../src/status-meaning.ts';

/** What decisions of the service say, with the words for people. */
const DECIDED = {
  approved: 'approved',
  declined: 'declined',
  review: 'still under review',
  unexplained: 'answered, outcome not known',
} as const;

type Verdict = keyof typeof DECIDED;

/** By portfolio: what was decided of rows that say something else now, by the row's key. */
export type DecidedRows = Map<string, Map<string, Verdict>>;

/** Notes what was decided of a row, for {@link tellDecided}. */
export function noteDecided(
  { portfolio, key }: RowId,
  { status, total }: LaterWord,
  { decided, meanings }: { decided: DecidedRows; meanings: Meanings },
): void {
  const meaning = statusMeaningOf(status, meanings);
  const as: Verdict = meaning === 'approved' && total === '0' ? 'declined' : (meaning ?? 'unexplained');
  const rows = decided.get(portfolio) ?? new Map<string, Verdict>();
  decided.set(portfolio, rows.set(key, as));
}

/** Sends a notice for each portfolio, once for an `occasion`. */
export async function tellDecided(
  decided: DecidedRows,
  occasion: string,
  { outbox }: { outbox?: Outbox | undefined },
): Promise<void> {
  const states = [...decided].map(([portfolio, rows]) => ({
    subject: `portfolio ${portfolio} decided`,
    state: occasion,
    notice: decidedNotice(portfolio, rows.values(), Date.now()),
  }));
  if (states.length > 0) await outbox?.tell(states);
}

/** A notice that decisions of the service came in for rows of a portfolio; `verdicts` has what was decided of each row. */
function decidedNotice(portfolio: string, verdicts: Iterable<Verdict>, atMs: number): Notice {
  const rows: Record<Verdict, number> = { approved: 0, declined: 0, review: 0, unexplained: 0 };
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
