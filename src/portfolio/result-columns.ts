/** The account that it all happened in; a name that no column of a finance team's has. */
export const ACCOUNT_COLUMN = 'limitline_account';

/** What a results file adds to the file's own columns. */
export const RESULT_COLUMNS = [
  ...['state', 'step', 'company_id', 'document_ids', 'buyer_limit_id', 'status', 'total_limit', 'available_limit'],
  ...['problem', 'updated', ACCOUNT_COLUMN],
];

/** The text of a line whose cells cannot be believed, for the person who fills them in. */
export const LINE_COLUMN = 'limitline_line';

/** What an errors file adds to them. */
export const ERROR_COLUMNS = [LINE_COLUMN, 'problem', ACCOUNT_COLUMN];

/** Whether a file with this header is a results file: its `state` is what became of a line, and no buyer's address. */
export function isResultsHeader(header: readonly string[]): boolean {
  return RESULTS_MARKS.every((mark) => header.some((name) => name.trim() === mark));
}

const RESULTS_MARKS = [ACCOUNT_COLUMN, 'buyer_limit_id'];

/** The columns that an errors file of an earlier round added: the last of each name, since the team may have one itself. */
export function errorColumnsOf(header: readonly string[]): Set<number> {
  return new Set(header.includes(ACCOUNT_COLUMN) ? ERROR_COLUMNS.map((name) => header.lastIndexOf(name)) : []);
}
