import { LimitlineError } from '../errors.ts';
import { openTable } from '../table/open-table.ts';
import { nextRecord, type Table } from '../table/table.ts';
import { vocabularyOf } from './columns/header-doubts.ts';
import { COLUMNS, type KnownColumn } from './columns/known-columns.ts';
import { readHeader } from './columns/read-header.ts';
import { adviceDates } from './lines/advice.ts';
import { buyerKeyOf, makeCompany } from './lines/make-row.ts';
import { makeCellReader } from './lines/read-cells.ts';
import type { Company } from './lines/row.ts';
import { type Problem, visible } from './problem.ts';

/**
 * The supplier company: one to create, with a key like a buyer's (see `buyerKey`), or one that the service knows. `unsent`: columns of its
 * file that no call sends.
 */
export type Supplier = ({ company: Company; key: string } | { companyId: string }) & { unsent: string[] };

/** A sentence that names the columns of a supplier's file that are not sent. The list is empty where all columns are sent. */
export function unsentWords(unsent: readonly string[] = []): string[] {
  return unsent.length === 0
    ? []
    : [`Columns of the supplier's file that are not sent: ${unsent.map(visible).join(', ')}.`];
}

/** The supplier's name, or the id under which the service knows it. */
export function supplierName(supplier: Supplier): string {
  return 'companyId' in supplier ? supplier.companyId : supplier.company.name;
}

/**
 * Reads the file of `--supplier`: a CSV with a header and exactly one line. It has the company columns of a portfolio
 * (`name`, `country_code` …) or `company_id`.
 *
 * @throws LimitlineError `FILE` when the file cannot be read or has problems; one message names them all.
 */
export async function readSupplier(path: string): Promise<Supplier> {
  const table = await openTable({ path, vocabulary: vocabularyOf() });
  try {
    return await readOnlyLine(path, table);
  } finally {
    await table.close();
  }
}

async function readOnlyLine(path: string, table: Table): Promise<Supplier> {
  const { header, unusable, dialect } = table;
  if (unusable) throw wrong(path, unusable);
  if (!header) throw wrong(path, 'The file is empty: it needs a header and one line.');
  if (header.fault) throw wrong(path, header.fault.message);
  const { columns, problems } = readHeader(header, { needed: [] });
  const amount = columns.find(({ known }) => known === 'requested_limit');
  if (amount)
    throw wrong(
      path,
      `The column "${visible(amount.written)}" asks for a limit, as a list of buyers does: a supplier's file names the company alone. Take the column out, or choose the supplier's file.`,
    );
  const record = await nextRecord(table);
  if (!record) throw wrong(path, 'The file has no line below its header: write the supplier there.');
  const read = makeCellReader({
    columns,
    dialect,
    conventions: { decimal: null, dates: null },
    today: adviceDates(new Date()).today,
  })(record);
  problems.push(...read.problems);
  if (await nextRecord(table))
    throw wrong(path, 'The file has several lines: a portfolio has one supplier, so keep one line.');
  if (problems.length > 0) throw wrong(path, problems.map(sentence).join(' '));
  const unsentBut = (isSent: (known: KnownColumn) => boolean | undefined) =>
    columns.flatMap(({ known, written }) => ((known && isSent(known)) || written === '' ? [] : [written]));
  if (read.values.company_id)
    return { companyId: read.values.company_id, unsent: unsentBut((known) => known === 'company_id') };
  if (read.values.name) {
    const unsent = unsentBut((known) => COLUMNS[known].in?.startsWith('company'));
    return { company: makeCompany(read.values), key: buyerKeyOf(read.values), unsent };
  }
  throw wrong(path, 'The line gives neither a name nor a company_id: write one of them.');
}

function sentence({ line, column, value, message }: Problem): string {
  return `Line ${line}${column ? `, ${column}` : ''}${value ? ` "${value}"` : ''}: ${message}`;
}

function wrong(path: string, message: string): LimitlineError {
  return new LimitlineError('FILE', `The supplier in ${path} cannot be used. ${message}`);
}
