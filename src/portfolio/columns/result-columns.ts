import { withoutApostrophe } from '../../table/formulas.ts';

/** The account that it all happened in; a name that no column of a finance team's has. */
export const ACCOUNT_COLUMN = 'limitline_account';

/** The row, `<portfolio>/<row key>`: in an errors file the one that the line mends. */
export const ROW_COLUMN = 'row';

/** What the ledger knows of a row beside its words, see recorded-buyer.ts: by it a lost one is put back for certain. */
export const KNOWN_COLUMN = 'limitline_buyer';

/** Which line an errors file's line mends, `<portfolio>/<number of its import>/<line>`: one that led to no row has no other name. */
const FROM_COLUMN = 'limitline_from';

/** What is wrong with a line, or why its row is where it is. */
const PROBLEM_COLUMN = 'problem';

/** What a results file adds to the files' own columns. */
export const RESULT_COLUMNS = [
  ROW_COLUMN,
  'import',
  'line',
  'state',
  'step',
  'company_id',
  'document_ids',
  'buyer_limit_id',
  'status',
  'total_limit',
  'available_limit',
  PROBLEM_COLUMN,
  'updated',
  ACCOUNT_COLUMN,
  KNOWN_COLUMN,
];

/** The text of a line whose cells cannot be believed, for the person who fills them in. */
export const LINE_COLUMN = 'limitline_line';

/** What an errors file adds to them. */
export const ERROR_COLUMNS = [ROW_COLUMN, LINE_COLUMN, PROBLEM_COLUMN, ACCOUNT_COLUMN, FROM_COLUMN];

/** Whether a file with this header is a results file: its `state` is what became of a line, and no buyer's address. */
export function isResultsHeader(header: readonly string[]): boolean {
  return RESULTS_MARKS.every((mark) => header.some((name) => name.trim() === mark));
}

const RESULTS_MARKS = [ACCOUNT_COLUMN, 'buyer_limit_id'];

/** Whether a file with this header is an errors file: only some lines of another, to be mended. */
export function isErrorsHeader(header: readonly string[]): boolean {
  return header.includes(ACCOUNT_COLUMN) && header.includes(LINE_COLUMN) && !isResultsHeader(header);
}

/** Makes the look into a line's cell `row`, '' where there is none: a column of ours in an errors file only. */
export const mendedRowOf = (header: readonly string[]) => cellOfErrors(header, ROW_COLUMN);

/** Makes the look at what an errors file says of a line, '' where there is none. */
export const earlierProblemOf = (header: readonly string[]) => cellOfErrors(header, PROBLEM_COLUMN);

/** A line of an import, as an errors file names it. */
export type LineOfImport = { portfolio: string; importId: string; line: number };

/** Makes the look at which line an errors file's line mends; nothing where it does not say so, as those before 0.2 did not. */
export function mendedLineOf(header: readonly string[]): (cells: readonly string[]) => LineOfImport | undefined {
  const cell = cellOfErrors(header, FROM_COLUMN);
  return (cells) => {
    const [, portfolio, importId, line] = /^([^/]+)\/(\d+)\/(\d+)$/.exec(cell(cells)) ?? [];
    return portfolio && importId ? { portfolio, importId, line: Number(line) } : undefined;
  };
}

export function lineOfImportText({ portfolio, importId, line }: LineOfImport): string {
  return `${portfolio}/${importId}/${line}`;
}

function cellOfErrors(header: readonly string[], column: string): (cells: readonly string[]) => string {
  const at = isErrorsHeader(header) ? header.lastIndexOf(column) : -1;
  return (cells) => (at === -1 ? '' : withoutApostrophe(cells[at] ?? '').trim());
}

/** The columns that an errors file of an earlier round added: the last of each name, since the team may have one itself. */
export function errorColumnsOf(header: readonly string[]): Set<number> {
  return new Set(header.includes(ACCOUNT_COLUMN) ? ERROR_COLUMNS.map((name) => header.lastIndexOf(name)) : []);
}
