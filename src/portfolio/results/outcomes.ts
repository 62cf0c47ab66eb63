import { withoutApostrophe } from '../../table/formulas.ts';
import {
  ACCOUNT_COLUMN,
  KNOWN_COLUMN,
  OUTCOME_COLUMN,
  RESULT_COLUMNS,
  SESSION_COLUMN,
} from '../columns/result-columns.ts';
import { type RecordedBuyer, readRecordedBuyer } from '../identity/recorded-buyer.ts';

/** One line's result in a results file, as text. A missing or empty field is ''. */
export type ResultOutcome = {
  /** The row's name, as `<portfolio>/<row key>`. */
  row: string;
  /** The row's line in its file; 0 if unknown. */
  line: number;
  state: string;
  step: string;
  companyId: string;
  documentIds: string[];
  limitId: string;
  record: Record<string, string>;
  problem: string;
  account: string;
  /** The link of the limit's last hosted session; '' in files without that column. */
  sessionLink: string;
  /** The ledger's last change, in ms since 1970; 0 if unknown. */
  updatedMs: number;
  /** The recorded buyer and request. Missing in files of earlier versions, and where the cell was changed. */
  known?: RecordedBuyer | undefined;
};

/**
 * The place of the column `state` among the result columns. From it on the columns tell a row's outcome; they end every results file,
 * whatever comes before them.
 */
const STATE_AT = RESULT_COLUMNS.indexOf('state');
const OUTCOME_COLUMNS = RESULT_COLUMNS.slice(STATE_AT, RESULT_COLUMNS.indexOf(KNOWN_COLUMN));
/** The columns at the end of a results file of version 0.1, which has no column of outcomes. */
const EARLIER_COLUMNS = OUTCOME_COLUMNS.filter((name) => name !== OUTCOME_COLUMN);
const ROW_COLUMNS = RESULT_COLUMNS.slice(0, STATE_AT);

/** The indexes of a results file's own columns by name; undefined for other files. */
export function outcomeColumns(header: readonly string[]): ReadonlyMap<string, number> | undefined {
  const names = header.map((name) => name.trim());
  const startsAt = (wanted: readonly string[], at: number) => wanted.every((name, place) => names[at + place] === name);
  // The last match counts, because the team's own columns come first.
  const ours = names.some((_name, at) => startsAt(OUTCOME_COLUMNS, at)) ? OUTCOME_COLUMNS : EARLIER_COLUMNS;
  const stateAt = names.findLastIndex((_name, at) => startsAt(ours, at));
  if (stateAt === -1) return undefined;
  const places = new Map(ours.map((name, place) => [name, stateAt + place]));
  // Results files of earlier versions lack this column, which names the buyer that Limitline took the line for.
  const knownAt = stateAt + ours.length;
  if (names[knownAt] === KNOWN_COLUMN) places.set(KNOWN_COLUMN, knownAt);
  // The session column exists only if somebody has asked for a hosted session.
  if (names[knownAt + 1] === SESSION_COLUMN) places.set(SESSION_COLUMN, knownAt + 1);
  const rowAt = stateAt - ROW_COLUMNS.length;
  if (ROW_COLUMNS.length > 0 && rowAt >= 0 && startsAt(ROW_COLUMNS, rowAt)) {
    for (const [place, name] of ROW_COLUMNS.entries()) places.set(name, rowAt + place);
  }
  return places;
}

/** Reads the outcome from a line's cells. */
export function makeOutcomeReader(columns: ReadonlyMap<string, number>): (cells: readonly string[]) => ResultOutcome {
  return (cells) => {
    const written = (name: string): string => withoutApostrophe(cells[columns.get(name) ?? -1] ?? '');
    const cell = (name: string): string => written(name).trim();
    const record: Record<string, string> = {};
    // A status is compared with those that the service wrote, white space included.
    if (written('status') !== '') record.status = written('status');
    for (const name of ['total_limit', 'available_limit']) if (cell(name) !== '') record[name] = cell(name);
    return {
      row: cell('row'),
      line: Number.parseInt(cell('line'), 10) || 0,
      state: cell('state'),
      step: cell('step'),
      companyId: cell('company_id'),
      documentIds: cell('document_ids').split('|').filter(Boolean),
      limitId: cell('buyer_limit_id'),
      record,
      problem: cell('problem'),
      account: cell(ACCOUNT_COLUMN),
      sessionLink: cell(SESSION_COLUMN),
      updatedMs: Date.parse(cell('updated')) || 0,
      known: readRecordedBuyer(cell(KNOWN_COLUMN)),
    };
  };
}
