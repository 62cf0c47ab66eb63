import type { PortfolioState } from '../../src/ledger/portfolios.ts';
import { ROW_STATES, type RowState } from '../../src/ledger/rows.ts';
import type { Summary } from '../../src/ledger/summary.ts';

/** What each state means to somebody who has never read about queues. */
const MEANING: Record<RowState, string> = {
  queued: 'not begun',
  company: 'being registered as a company',
  documents: 'documents going up',
  limit: 'limit being requested',
  done: 'limit requested and answered',
  refused: 'the service said no',
  held: 'outcome unknown: a person must say',
  skipped: 'requested before, not asked twice',
  cancelled: 'given up on request',
};

/** The report that a finance person reads. */
export function summaryTable(
  summary: Summary,
  { supplier, paused, interrupted }: Pick<PortfolioState, 'supplier' | 'paused' | 'interrupted'>,
): string {
  const { account, portfolio, lines, invalid, duplicate, kept, replaced, rows, states, statuses, calls } = summary;
  const parts: string[] = [`Portfolio ${portfolio}, account ${account}`, ''];
  parts.push(
    row('lines of the file', lines),
    row('  invalid', invalid),
    row('  duplicate', duplicate),
    row('  rows', rows),
  );
  for (const state of ROW_STATES) {
    if (states[state] > 0) parts.push(`${row(`    ${state}`, states[state])}   ${MEANING[state]}`);
  }
  if (replaced > 0) {
    parts.push(`    Of the cancelled, ${replaced.toLocaleString('en')} gave way to a later file.`);
  }
  if (kept > 0) {
    parts.push(
      `    The last import found the lines of ${kept} rows invalid: those rows stay as they were, see errors-csv.`,
    );
  }
  parts.push('', amount('requested', summary.requested), amount('granted', summary.granted));
  parts.push(amount('available', summary.available));
  const answers = Object.entries(statuses).map(([status, count]) => `${count} ${status}`);
  if (answers.length > 0) parts.push('', `The service answered: ${answers.join(', ')}.`);
  parts.push(
    `Calls sent: ${calls.company} for companies, ${calls.document} for documents, ${calls.limit} for limits, ${calls.token} for tokens; ${calls.throttled} of them were told to slow down.`,
  );
  if (summary.madeTwice > 0) {
    parts.push(
      `MADE TWICE: ${summary.madeTwice}. Which they are stands in the results and errors files, and in: npx limitline reconcile`,
    );
  }
  if (supplier)
    parts.push(supplier.id ? `Supplier: ${supplier.id}` : `Supplier: ${supplier.problem ?? 'not created yet'}`);
  if (paused !== undefined) parts.push(`Paused: ${paused || 'by request'}.`);
  if (interrupted) parts.push('The last import did not come to its end: import the file again.');
  if (summary.started) parts.push(timeLine(summary.started, summary.finished));
  return parts.join('\n');
}

function row(label: string, count: number): string {
  return `${label.padEnd(24)}${count.toLocaleString('en').padStart(12)}`;
}

/** Grouped by thousands; the digits themselves are left as they are. */
function amount(label: string, text: string): string {
  const [whole = '', decimals] = text.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${label.padEnd(16)}${(decimals === undefined ? grouped : `${grouped}.${decimals}`).padStart(20)}`;
}

function timeLine(started: string, finished: string | null): string {
  if (!finished) return `Started ${started}, not finished yet.`;
  const seconds = (Date.parse(finished) - Date.parse(started)) / 1_000;
  return `Started ${started}, finished ${finished} (${seconds.toFixed(1)} s).`;
}
