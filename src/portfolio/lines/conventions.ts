import { withoutTextMark } from '../../table/formulas.ts';
import { openTable } from '../../table/open-table.ts';
import type { RawRecord, Shape } from '../../table/records.ts';
import type { TableFile } from '../../table/table.ts';
import { type Column, makeFit, placeOf } from '../columns/column.ts';
import type { Conventions } from '../columns/known-columns.ts';
import { type Decimal, decimalOf } from '../values/amounts.ts';
import { type DateOrder, dateOrderOf } from '../values/dates.ts';
import { beforeDoubt } from '../values/reading.ts';

/**
 * Detects how a file writes amounts and dates, by a first pass over every cell of their columns. If the cells
 * contradict each other or decide nothing, the convention stays open, and every ambiguous cell is a problem. Runs only
 * when the first ambiguous cell is met: most files have none.
 *
 * @throws LimitlineError `FILE`, `STOPPED`
 */
export async function findConventions(
  file: TableFile,
  { columns, shape }: { columns: Column[]; shape: Shape },
): Promise<Conventions> {
  const decimals: Found<Decimal> = new Map();
  const orders: Found<DateOrder> = new Map();
  const amountAt = placeOf(columns, 'requested_limit');
  const dateAt = placeOf(columns, 'statements_dated');
  const table = await openTable(file);
  const fits = makeFit(columns, table.dialect.delimiter);
  try {
    for (;;) {
      const record = table.next(shape);
      if (record) {
        // The cells of a broken line may belong to another column, so they are no evidence.
        if (record.fault || !(record.sheet || fits(record.cells))) continue;
        // A number cell is no evidence either: a workbook stores every number with a point.
        const isNumber = record.sheet?.numbers.includes(amountAt);
        if (!isNumber) note(decimals, { kinds: ['.', ','], of: decimalOf }, record, amountAt);
        note(orders, { kinds: ['dmy', 'mdy'], of: dateOrderOf }, record, dateAt);
      } else if (!(await table.more())) break;
    }
  } finally {
    await table.close();
  }
  const contradictions = { ...named('decimal', decimals), ...named('dates', orders) };
  return { decimal: onlyOne(decimals), dates: onlyOne(orders), contradictions };
}

/** The possible conventions of a column, and a function that says which one a cell shows for certain. */
type Evidence<Kind> = { kinds: Kind[]; of(text: string): Kind | null };

/** The conventions that cells showed, each with the first such cell; null for one that no cell showed for certain. */
type Found<Kind> = Map<Kind, { line: number; cell: string } | null>;

function note<Kind>(
  found: Found<Kind>,
  { kinds, of }: Evidence<Kind>,
  { line, cells }: Pick<RawRecord, 'line' | 'cells'>,
  at: number,
): void {
  const cell = withoutTextMark(cells[at]?.trim() ?? '');
  // Both conventions occur already: nothing more can be learned.
  if (!cell || found.size > 1) return;
  // A results file marked this cell because its own column was undecided. So it counts for every convention here, too.
  if (beforeDoubt(cell) !== null) for (const kind of kinds) found.set(kind, null);
  const kind = of(cell);
  if (kind !== null && !found.has(kind)) found.set(kind, { line, cell });
}

function onlyOne<Kind>(found: Found<Kind>): Kind | null {
  const [kind] = found.keys();
  return found.size === 1 && kind !== undefined ? kind : null;
}

/** Names the two cells that contradict each other, if there are any. */
function named<Of extends string, Kind>(of: Of, found: Found<Kind>): { [of in Of]?: string } {
  const [one, other] = found.values();
  if (!one || !other) return {};
  const [first, second] = [one, other].map(({ line, cell }) => `${cell.replace(/\s/g, ' ')} in line ${line}`);
  return { [of]: `${first} and ${second}` } as { [of in Of]?: string };
}
