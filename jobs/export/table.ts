import { answeredOtherwise, type RowResult } from '../../src/ledger/schema/row.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { mergeColumns, type OwnColumns } from '../../src/portfolio/results/merged-columns.ts';
import type { ExportedLine, ImportFile } from './export-lines.ts';
import { LEDGER_COLUMNS } from './ledger-cells.ts';

/** What is written: a header, and for a line the records that it leads to. */
export type ExportTable = {
  header: string[];
  /** Whether it asks nothing of lines but their cells. */
  isPlain: boolean;
  /** Is told of each file when its lines begin. */
  begin(file: ImportFile, opened: Opened): void;
  write(line: ExportedLine): Iterable<string[]>;
};

/** The files of a portfolio with what is known of each before its lines are read; nothing where its copy is gone. */
export type Files = ReadonlyMap<ImportFile, Opened | undefined>;

/**
 * In a sheet amounts and days are written plainly, for they are numbers there. Held rows alone have a column behind them, in which a
 * person says what became of their calls.
 */
export type TableOptions = { account: string; portfolio: string; inSheet: boolean; isHeldOnly?: boolean };

/** The state of the line's row, or what the line is instead; '' where the import did not come to it. */
export function stateOf({ found, fault }: ExportedLine): string {
  return found?.result.state ?? fault?.kind ?? '';
}

/** What is wrong with the line, then what is with its row; '' where nothing is. */
export function problemIn({ found, fault }: ExportedLine): string {
  if (!found && !fault) return 'Not imported: the import was interrupted. Import the file again.';
  return [fault?.message, found && problemText(found.result)].filter((problem) => problem).join('; ');
}

/** The sentence, then what the service said, as it came, or what was sent to it without an answer. `recover` reads it back. */
function problemText({ problem, again, record }: RowResult): string {
  if (again) return `Made twice at the service: ${again.id} and ${again.again}; ask the service to withdraw one`;
  if (!problem) return answeredOtherwise(record);
  const said = problem.body ? `${problem.message}: ${problem.body}` : problem.message;
  return problem.sent ? `${said}; what was sent: ${problem.sent}` : said;
}

/**
 * Brings the columns of all files into one header, and each file's cells where they belong in it.
 *
 * @param columnsOf which columns of a file are written, and under which names
 */
export function makePlacedCells(files: Files, columnsOf: (opened: Opened) => OwnColumns) {
  const known = { names: LEDGER_COLUMNS, places: LEDGER_COLUMNS.map((_name, place) => place) };
  const columns = [...files.values()].map((opened) => (opened ? columnsOf(opened) : known));
  const { header, columnsOf: inTable } = mergeColumns(columns.map(({ names }) => names));
  const placed = new Map([...files.keys()].map((file, at) => [file, { own: columns[at], at: inTable[at] ?? [] }]));
  return {
    header,

    /** A line's cells where they belong; those of the ledger by their names, where the line cannot be read. */
    cells(file: ImportFile, cells: readonly string[] | undefined, fromLedger: readonly string[]): string[] {
      if (!cells) return cellsByName(header, fromLedger);
      const written = header.map(() => '');
      const { own, at } = placed.get(file) ?? { own: undefined, at: [] };
      for (const [place, from] of (own?.places ?? []).entries()) written[at[place] ?? -1] = cells[from] ?? '';
      return written;
    },
  };
}

function cellsByName(header: readonly string[], fromLedger: readonly string[]): string[] {
  const written = header.map(() => '');
  for (const [place, name] of LEDGER_COLUMNS.entries()) {
    const column = header.indexOf(name);
    if (column !== -1) written[column] = fromLedger[place] ?? '';
  }
  return written;
}
