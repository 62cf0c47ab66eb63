import { withoutTextMark } from '../../table/formulas.ts';
import { visible } from '../problem.ts';
import { plainName } from './known-columns.ts';

/** The column that names the account of the results. No finance team has a column of this name. */
export const ACCOUNT_COLUMN = 'limitline_account';

/** The column that names the row, `<portfolio>/<row key>`. In an errors file: the row that the line corrects. */
export const ROW_COLUMN = 'row';

/** The column with the ledger's knowledge of a row besides its cells, see recorded-buyer.ts. A lost ledger is rebuilt from it. */
export const KNOWN_COLUMN = 'limitline_buyer';

/** The column that names the line which an errors file's line corrects: the only id of a line without a row. */
export const FROM_COLUMN = 'limitline_from';

/** The column with the problem of the line, or the reason for its row's state. */
const PROBLEM_COLUMN = 'problem';

/** The column with the outcome of the row's request. Results files of version 0.1 lack it. */
export const OUTCOME_COLUMN = 'outcome';

/**
 * The columns that a results file adds to the team's own; `outcomeCells` of the export fills them in this order. Files are recognized by
 * them, so another column needs the row of columns before it in `RUNS` (results/outcomes.ts).
 */
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
  OUTCOME_COLUMN,
  ACCOUNT_COLUMN,
  KNOWN_COLUMN,
];

/**
 * The link of the last hosted session that was made for the limit. The column comes last, and only in files of accounts that ever asked for
 * a session.
 */
export const SESSION_COLUMN = 'session_link';

/** The column with the text of a line whose cells are unreliable, for the person who fills them in. */
export const LINE_COLUMN = 'limitline_line';

export const ERROR_COLUMNS = [ROW_COLUMN, LINE_COLUMN, PROBLEM_COLUMN, ACCOUNT_COLUMN, FROM_COLUMN];

/**
 * Whether this is a results file's header. Its `state` is a row's state, not a part of an address. An errors file has no column with the
 * ledger's knowledge, and may have a column of the team's own that is called like one of ours.
 */
export function isResultsHeader(header: readonly string[]): boolean {
  const names = header.map((name) => name.trim());
  return RESULTS_MARKS.every((mark) => names.includes(mark)) && (names.includes(KNOWN_COLUMN) || !hasErrorsMark(names));
}

const RESULTS_MARKS = [ACCOUNT_COLUMN, 'buyer_limit_id'];

/**
 * Whether this is an errors file's header: the file has only some lines of another, for correction. One of its own two columns is enough,
 * since people delete columns.
 */
export function isErrorsHeader(header: readonly string[]): boolean {
  return hasErrorsMark(header) && !isResultsHeader(header);
}

const hasErrorsMark = (header: readonly string[]) => header.includes(FROM_COLUMN) || header.includes(LINE_COLUMN);

/** Reads the account that a line of an errors or results file names; '' in files without the column. Of several columns a filled one counts. */
export function accountOfLine(header: readonly string[]): (cells: readonly string[]) => string {
  const places = header.flatMap((name, at) => (plainName(name) === ACCOUNT_COLUMN ? [at] : []));
  return (cells) => places.map((at) => withoutTextMark(cells[at] ?? '').trim()).findLast((name) => name !== '') ?? '';
}

/** Most characters of an account's name in a message: as many as an account may have. */
const ACCOUNT_SHOWN = 100;

/**
 * The message on a line that names another account. Nobody but a person can say that a name was only retyped, since names of accounts may
 * differ by case or zeros.
 *
 * @param line.there what to do in the other account, such as `import the file there`
 */
export function otherAccountWords(
  { line, there }: { line: string; there: string },
  theirs: string,
  ours: string,
): string {
  const says = `${line} belongs to account "${visible(theirs).slice(0, ACCOUNT_SHOWN)}", but this is account "${ours}"`;
  return `${says}: set SERVICE_ACCOUNT or SERVICE_URL for that account and ${there}. If the line is of this account, and a person or a spreadsheet program changed its cell ${ACCOUNT_COLUMN}, write "${ours}" there again.`;
}

/** Whether the file has the column with the account of each line. */
export const namesAccount = (header: readonly string[]) => header.some((name) => plainName(name) === ACCOUNT_COLUMN);

/** Reads a line's `row` cell in an errors file; '' in other files, where the column is the team's own. */
export const mendedRowOf = (header: readonly string[]) => cellOfErrors(header, ROW_COLUMN);

/** Reads the problem that an errors file states for a line; '' if there is none. */
export const earlierProblemOf = (header: readonly string[]) => cellOfErrors(header, PROBLEM_COLUMN);

/** A line of an imported file. `file`: the first 12 hex digits of the file's SHA-256 digest, which every account and ledger has alike. */
export type LineOfFile = { portfolio: string; file: string; line: number };

/** Reads which line an errors file's line corrects; undefined if it is not stated, as before version 0.2. */
export function mendedLineOf(header: readonly string[]): (cells: readonly string[]) => LineOfFile | undefined {
  const cell = cellOfErrors(header, FROM_COLUMN);
  return (cells) => {
    const [, portfolio, file, line] = /^(.+) #([0-9a-f]{12}) line (\d+)(?: with\b.*)?$/.exec(cell(cells)) ?? [];
    return portfolio && file ? { portfolio, file, line: Number(line) } : undefined;
  };
}

/**
 * Reads the identifiers with leading zeros that the line had which an errors file's line corrects, by the name of their column. A version
 * before 0.2 stated none.
 */
export function mendedZerosOf(header: readonly string[]): (cells: readonly string[]) => ReadonlyMap<string, string> {
  const cell = cellOfErrors(header, FROM_COLUMN);
  return (cells) => {
    const [, zeros = ''] = / #[0-9a-f]{12} line \d+ with (.*)$/.exec(cell(cells)) ?? [];
    return new Map([...zeros.matchAll(/([\w.-]+) (\d+)/g)].map(([, name = '', number = '']) => [name, number]));
  };
}

/** The part of a file's digest that an errors file names. */
export const shortDigest = (sha256: string) => sha256.slice(0, 12);

/**
 * The text that names a line of a file, such as `q4 #0123456789ab line 17`. No spreadsheet takes it for a date or a number.
 *
 * @param zeros identifiers of the line with leading zeros, which spreadsheets remove, such as `buyer_reference 0017`
 */
export function lineOfFileText({ portfolio, file, line }: LineOfFile, zeros: readonly string[] = []): string {
  return `${portfolio} #${file} line ${line}${zeros.length > 0 ? ` with ${zeros.join(' and ')}` : ''}`;
}

function cellOfErrors(header: readonly string[], column: string): (cells: readonly string[]) => string {
  const at = isErrorsHeader(header) ? header.lastIndexOf(column) : -1;
  return (cells) => (at === -1 ? '' : withoutTextMark(cells[at] ?? '').trim());
}

/** The columns that an earlier errors file added: the last of each name, because the team may have the same name. */
export function errorColumnsOf(header: readonly string[]): Set<number> {
  return new Set(
    header.includes(ACCOUNT_COLUMN) || isErrorsHeader(header)
      ? ERROR_COLUMNS.map((name) => header.lastIndexOf(name))
      : [],
  );
}
