import { openTable } from '../../table/open-table.ts';
import type { Shape } from '../../table/records.ts';
import type { TableFile } from '../../table/table.ts';
import { type Column, makeFit, placeOf } from '../columns/column.ts';
import type { Conventions } from '../columns/known-columns.ts';
import { type Decimal, decimalOf } from '../values/amounts.ts';
import { type DateOrder, dateOrderOf } from '../values/dates.ts';
import { beforeDoubt } from '../values/doubt.ts';

/**
 * Finds how a file's amounts and dates are written, from every cell of their columns: a first pass over the file. If the
 * column speaks for both, or for none, it stays open: every cell that needs it is then a problem.
 *
 * Most files never need it, since most amounts can be read in one way only; so it is made when the first cell is met
 * that needs it.
 *
 * @throws LimitlineError `FILE`, `STOPPED`
 */
export async function findConventions(
  file: TableFile,
  { columns, shape }: { columns: Column[]; shape: Shape },
): Promise<Conventions> {
  const decimals = new Set<Decimal>();
  const orders = new Set<DateOrder>();
  const amountAt = placeOf(columns, 'requested_limit');
  const dateAt = placeOf(columns, 'statements_dated');
  const fits = makeFit(columns);
  const table = await openTable(file);
  try {
    for (;;) {
      const record = table.next(shape);
      if (record) {
        // A line that is broken speaks for nothing: its cells may be another column's.
        if (record.fault || !(record.sheet || fits(record.cells))) continue;
        // Nor does a number: a workbook keeps all of them with a point, however its texts are written.
        const isNumber = record.sheet?.numbers.includes(amountAt);
        if (!isNumber) note(decimals, { kinds: ['.', ','], of: decimalOf }, record.cells[amountAt]);
        note(orders, { kinds: ['dmy', 'mdy'], of: dateOrderOf }, record.cells[dateAt]);
      } else if (!(await table.more())) break;
    }
  } finally {
    await table.close();
  }
  return { decimal: onlyOne(decimals), dates: onlyOne(orders) };
}

/** What a cell says of its column: which kinds there are, and the one that it is for certain. */
type Evidence<Kind> = { kinds: Kind[]; of(text: string): Kind | null };

function note<Kind>(found: Set<Kind>, { kinds, of }: Evidence<Kind>, cell: string | undefined): void {
  // Both are known to occur: nothing more can be learned.
  if (!cell || found.size > 1) return;
  // The column that it was left open in had both, or none: this one shall not tell it either.
  if (beforeDoubt(cell.trim()) !== null) for (const kind of kinds) found.add(kind);
  const kind = of(cell.trim());
  if (kind !== null) found.add(kind);
}

function onlyOne<Kind>(found: Set<Kind>): Kind | null {
  const [kind] = found;
  return found.size === 1 && kind !== undefined ? kind : null;
}
