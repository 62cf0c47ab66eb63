import type { Context } from '../../src/context.ts';
import { grouped } from '../../src/counted.ts';
import { ROW_OUTCOMES, type RowOutcome } from '../../src/ledger/counts/row-outcome.ts';
import { isoTime } from '../../src/ledger/portfolios/summary.ts';
import { rowName } from '../../src/ledger/schema/schema.ts';
import type { FoundRow } from '../../src/ledger/search/row-filter.ts';
import { moneyText } from '../../src/money-text.ts';
import { visible } from '../../src/portfolio/problem.ts';

/** Yields a text or JSON in pieces that lists the rows of one outcome by line, as the console's list finds them. */
export async function* listedRows(
  portfolio: string,
  { outcome, isJson }: { outcome: RowOutcome; isJson: boolean },
  { account, rows }: Pick<Context, 'account' | 'rows'>,
): AsyncGenerator<string> {
  let count = 0;
  if (isJson) yield `${JSON.stringify({ account, portfolio, outcome }).slice(0, -1)},"rows":[`;
  else yield `line ${' '.repeat(14)}requested  status          changed     buyer\n`;
  for await (const page of rows.all(portfolio, { outcomes: [outcome] })) {
    yield page
      .map((row, at) => (isJson ? `${count + at > 0 ? ',' : ''}\n${JSON.stringify(factsOf(row))}` : lineOf(row)))
      .join('');
    count += page.length;
  }
  if (isJson) yield '\n]}\n';
  else yield `${grouped(count)} of the rows of portfolio ${portfolio}: ${ROW_OUTCOMES[outcome]}.\n`;
}

function factsOf({ row, result: { line, request, limitId, record, updatedMs } }: FoundRow) {
  const { status = null, total_limit = null } = record;
  const requested = request.limit.requested_limit;
  const ids = { row: rowName(row), line, name: request.name, buyer_limit_id: limitId || null };
  return { ...ids, requested_limit: requested, status, total_limit, updated: isoTime(updatedMs) };
}

function lineOf({ result: { line, request, record, updatedMs } }: FoundRow): string {
  const amount = moneyText(request.limit.requested_limit).padStart(16);
  const status = visible(record.status ?? '').padEnd(14);
  const updated = isoTime(updatedMs)?.slice(0, 10);
  return `line ${String(line).padEnd(6)} ${amount}  ${status}  ${updated}  ${visible(request.name)}\n`;
}
