import { Big } from 'big.js';
import type { Sums } from '../../src/ledger/counts/sums.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import { ROW_STATES, type RowResult } from '../../src/ledger/schema/row.ts';

/** Adds up and counts rows one by one. Tests compare the sums and counts of the ledger with the result. */
export function addedUp(rows: readonly RowResult[]) {
  const standing = rows.filter(({ replaced }) => !replaced);
  const sumIn = (state: string) => sumOf(standing.filter((row) => row.state === state).map(requestedOf));
  const done = standing.filter(({ state }) => state === 'done');
  const skipped = standing.filter(({ state }) => state === 'skipped');
  const statusOf = ({ record }: RowResult) => record.status ?? '';
  const byStatus = (some: readonly RowResult[], field: string): Record<string, string> => {
    const groups = [...Map.groupBy(some, statusOf)];
    return Object.fromEntries(
      groups.map(([status, of]) => [status, sumOf(of.map(({ record }) => record[field] ?? '0'))]),
    );
  };
  const below = [...done, ...skipped].filter((row) =>
    new Big(row.record.total_limit ?? requestedOf(row)).lt(requestedOf(row)),
  );
  const nothing = below.filter(({ record }) => new Big(record.total_limit ?? '0').lte(0));
  const sums: Sums = {
    requested: sumIn('done'),
    inAllRows: sumOf(standing.map(requestedOf)),
    byState: Object.fromEntries(ROW_STATES.map((state) => [state, sumIn(state)])) as Sums['byState'],
    unreadable: 0,
  };
  const failed = rows.filter(({ state }) => state === 'refused' || state === 'held');
  const causes = Map.groupBy(failed, ({ cause }) => cause);
  return {
    sums,
    limits: {
      granted: withoutZeros(byStatus(done, 'total_limit')),
      available: withoutZeros(byStatus(done, 'available_limit')),
      before: withoutZeros(byStatus(skipped, 'total_limit')),
    },
    earlierStatuses: countBy(skipped, statusOf),
    short: {
      below: countBy(
        below.filter((row) => !nothing.includes(row)),
        statusOf,
      ),
      nothing: countBy(nothing, statusOf),
    },
    statuses: countBy(
      done.filter(({ record }) => record.status),
      ({ record }) => record.status ?? '',
    ),
    replaced: rows.length - standing.length,
    causes: [...causes].map(([id, some]) => ({ id, rows: some.length, sum: sumOf(some.map(requestedOf)) })),
  };
}

/** The sums of limits that the ledger keeps, by status alone; {@link addedUp} computes the same row by row. */
export function keptLimits({ answers, earlier }: Pick<PortfolioState, 'answers' | 'earlier'>) {
  const byStatus = <T extends { status: string }>(some: readonly T[], field: (one: T) => string) => {
    const groups = [...Map.groupBy(some, ({ status }) => status)];
    return withoutZeros(Object.fromEntries(groups.map(([status, of]) => [status, sumOf(of.map(field))])));
  };
  return {
    granted: byStatus(answers, ({ granted }) => granted),
    available: byStatus(answers, ({ available }) => available),
    before: byStatus(earlier, ({ granted }) => granted),
  };
}

function withoutZeros(sums: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => !new Big(sum).eq(0)));
}

const requestedOf = ({ request }: RowResult): string => request.limit.requested_limit;

function sumOf(amounts: readonly string[]): string {
  const sum = amounts.reduce((total, amount) => total.plus(amount), new Big(0));
  return (sum.toFixed().split('.')[1] ?? '').length > 2 ? sum.toFixed() : sum.toFixed(2);
}

function countBy(rows: readonly RowResult[], word: (row: RowResult) => string): Record<string, number> {
  const groups = Map.groupBy(rows, word);
  return Object.fromEntries([...groups].map(([name, some]) => [name, some.length]));
}
