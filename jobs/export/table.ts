import { answeredOtherwise, type RowRequest, type RowResult } from '../../src/ledger/schema/row.ts';
import { COLUMNS, fieldOf, KNOWN_COLUMNS, type KnownColumn } from '../../src/portfolio/columns/known-columns.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { mergeColumns, type OwnColumns } from '../../src/portfolio/results/line-rewriter.ts';
import type { ExportedLine, ImportFile } from './export-lines.ts';

/** A table to write: its header, and the records of each line. */
export type ExportTable = {
  header: string[];
  /** Whether it needs nothing of a line but its cells. */
  isPlain: boolean;
  /** Called for each file before its lines. */
  begin(file: ImportFile, opened: Opened): void;
  write(line: ExportedLine): Iterable<string[]>;
};

/** A portfolio's files, opened up to the header; nothing where a copy is gone. */
export type Files = ReadonlyMap<ImportFile, Opened | undefined>;

/**
 * `inSheet`: amounts and days are written as plain values, since a sheet has types. `isHeldOnly`: only held rows, with an
 * additional column in which a person answers.
 */
export type TableOptions = { account: string; portfolio: string; inSheet: boolean; isHeldOnly?: boolean };

/** The state of the line's row, or the line's own kind; '' where the import did not reach it. */
export function stateOf({ found, fault }: ExportedLine): string {
  return found?.result.state ?? fault?.kind ?? '';
}

/** The line's problem, then its row's problem; '' where there is none. */
export function problemIn({ found, fault }: ExportedLine): string {
  if (!found && !fault) return 'Not imported: the import was interrupted. Import the file again.';
  return [fault?.message, found && problemText(found.result)].filter((problem) => problem).join('; ');
}

/** The problem, then the service's response as it came, or the request that got no response. `recover` parses this text. */
function problemText({ problem, again, record }: RowResult): string {
  if (again) return `Made twice at the service: ${again.id} and ${again.again}; ask the service to withdraw one`;
  if (!problem) return answeredOtherwise(record);
  const said = problem.body ? `${problem.message}: ${problem.body}` : problem.message;
  return problem.sent ? `${said}; what was sent: ${problem.sent}` : said;
}

/**
 * Merges the columns of all files into one header, and puts each file's cells where they belong.
 *
 * @param columnsOf which columns of a file are written, and their names
 */
export function makePlacedCells(files: Files, columnsOf: (opened: Opened) => OwnColumns) {
  const known = { names: LEDGER_COLUMNS, places: LEDGER_COLUMNS.map((_name, place) => place) };
  const columns = [...files.values()].map((opened) => (opened ? columnsOf(opened) : known));
  const { header, columnsOf: inTable } = mergeColumns(columns.map(({ names }) => names));
  const placed = new Map([...files.keys()].map((file, at) => [file, { own: columns[at], at: inTable[at] ?? [] }]));
  return {
    header,

    /** A line's cells in the table's order; cells from the ledger where the line cannot be read. */
    cells(file: ImportFile, cells: readonly string[] | undefined, fromLedger: readonly string[]): string[] {
      if (!cells) return cellsByName(header, fromLedger);
      const written = header.map(() => '');
      const { own, at } = placed.get(file) ?? { own: undefined, at: [] };
      for (const [place, from] of (own?.places ?? []).entries()) written[at[place] ?? -1] = cells[from] ?? '';
      return written;
    },
  };
}

/** Columns that are missing from some stored bodies: a line with a company id has no company body. */
const BESIDE_BODIES: { [column in KnownColumn]?: (request: RowRequest) => string | undefined } = {
  name: ({ name }) => name,
  supporting_documents: ({ documents }) => documents.map(({ name }) => name).join('|'),
  company_id: ({ companyId }) => companyId,
};

/** The columns that {@link ledgerCells} fills, from what the ledger knows of a row whose file is gone. */
export const LEDGER_COLUMNS = KNOWN_COLUMNS.filter((column) => BESIDE_BODIES[column] ?? COLUMNS[column].in);

/** The cells of {@link LEDGER_COLUMNS}; all empty without a row. */
export function ledgerCells(request: RowRequest | undefined): string[] {
  return LEDGER_COLUMNS.map((column) => (request && cellOf(column, request)) ?? '');
}

function cellsByName(header: readonly string[], fromLedger: readonly string[]): string[] {
  const written = header.map(() => '');
  for (const [place, name] of LEDGER_COLUMNS.entries()) {
    const column = header.indexOf(name);
    if (column !== -1) written[column] = fromLedger[place] ?? '';
  }
  return written;
}

/** Reads the column's field from the stored request bodies. */
function cellOf(column: KnownColumn, request: RowRequest): string | null | undefined {
  const beside = BESIDE_BODIES[column];
  if (beside) return beside(request);
  const path = [...(COLUMNS[column].in?.split('.') ?? []), fieldOf(column)];
  return path.reduce<unknown>((body, name) => (body as Record<string, unknown> | undefined)?.[name], request) as string;
}
