import { counted, grouped } from '../../src/counted.ts';
import type { Notice } from '../../src/notices/notice.ts';

/** What decisions of the service say, with the words for people. */
const DECIDED = {
  approved: 'approved',
  declined: 'declined',
  review: 'still under review',
  unexplained: 'answered, outcome not known',
} as const;

export type Verdict = keyof typeof DECIDED;

/** A notice that decisions of the service came in for rows of a portfolio; `verdicts` has what was decided of each row. */
export function decidedNotice(portfolio: string, verdicts: Iterable<Verdict>, atMs: number): Notice {
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
