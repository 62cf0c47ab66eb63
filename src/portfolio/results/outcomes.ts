import { withoutTextMark } from '../../table/formulas.ts';
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

/** The runs of columns by which a results file is known, those of the newest version first. */
const RUNS = [OUTCOME_COLUMNS, EARLIER_COLUMNS].flatMap((names) => [[...ROW_COLUMNS, ...names], names]);

/** The indexes of a results file's own columns by name; undefined for other files. Between them may be columns that a person put there. */
export function outcomeColumns(header: readonly string[]): ReadonlyMap<string, number> | undefined {
  const names = header.map((name) => name.trim());
  for (const run of RUNS) {
    // The last match counts, because the team's own columns come first.
    const at = names.findLastIndex((name, place) => name === run[0] && placesFrom(place, run, names) !== undefined);
    const places = at === -1 ? undefined : placesFrom(at, run, names);
    if (!places) continue;
    // Results files of earlier versions lack this column, which names the buyer that Limitline took the line for.
    const knownAt = names.indexOf(KNOWN_COLUMN, places.get(ACCOUNT_COLUMN));
    if (knownAt !== -1) places.set(KNOWN_COLUMN, knownAt);
    // The session column exists only if somebody has asked for a hosted session.
    if (knownAt !== -1 && names[knownAt + 1] === SESSION_COLUMN) places.set(SESSION_COLUMN, knownAt + 1);
    return places;
  }
  return undefined;
}

/** The places of a run of columns from `from` on, in its order; undefined if one of them is missing, or stands there twice. */
function placesFrom(from: number, run: readonly string[], names: readonly string[]): Map<string, number> | undefined {
  const places = new Map<string, number>();
  for (let at = from; at < names.length && places.size < run.length; at += 1) {
    const name = names[at] ?? '';
    if (name === run[places.size]) places.set(name, at);
    else if (run.includes(name)) return undefined;
  }
  return places.size === run.length ? places : undefined;
}

/** Reads the outcome from a line's cells. */
export function makeOutcomeReader(columns: ReadonlyMap<string, number>): (cells: readonly string[]) => ResultOutcome {
  return (cells) => {
    const written = (name: string): string => withoutTextMark(cells[columns.get(name) ?? -1] ?? '');
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
