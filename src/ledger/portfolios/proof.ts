import { CALL_KINDS, type CallKind, KINDS } from '../../call-kind.ts';
import { counted, grouped } from '../../counted.ts';
import { rowsIn, UNFINISHED_STATES } from '../schema/row.ts';
import type { KnownImport } from './imports.ts';
import type { PortfolioState } from './portfolio.ts';
import { rowCountOf } from './summary.ts';

/**
 * A comparison of two independent counts of one thing. `right` and `wrong` are its results; `open`: it cannot be told before something
 * has ended; `unknown`: one of the counts is missing.
 */
export type Check = {
  of: 'lines' | 'rows' | 'limits' | 'twice';
  is: 'right' | 'wrong' | 'open' | 'unknown';
  /** The comparison as an equation: `103 lines = 100 rows + 2 invalid + 1 duplicate`. */
  figures: string;
  /** A sentence on what differs, or why it cannot be told. */
  words?: string;
  import?: Pick<KnownImport, 'number' | 'fileName'>;
};

/**
 * Checks by its counts that a portfolio lost nothing and made nothing twice. It reads only counts that are kept anyway; `reconcile` walks
 * the rows themselves.
 *
 * The counts have different sources. Lines are counted by the reader of the file, faulty ones by the sizes of the ledger's lists. Rows are
 * counted by the sizes of the sets by state, and once more when each came in. Limits are counted when a call makes one, apart from the row.
 */
export function proofOf(state: PortfolioState, imports: readonly KnownImport[]): Check[] {
  return [...imports.map((one) => linesCheck(one, state)), rowsCheck(state), limitsCheck(state), twiceCheck(state)];
}

/** The combined result of checks: the first of `wrong`, `open`, `unknown` and `right` that any check has. */
export function overallOf(checks: readonly Pick<Check, 'is'>[]): Check['is'] {
  return (['wrong', 'open', 'unknown'] as const).find((is) => checks.some((check) => check.is === is)) ?? 'right';
}

function linesCheck(known: KnownImport, state: PortfolioState): Check {
  const about = { of: 'lines', import: { number: known.number, fileName: known.fileName } } as const;
  const isLast = known.number === state.file?.number;
  if (!known.found) {
    if (isLast && state.importing) return { ...about, is: 'open', figures: 'being read' };
    const unread = isLast && state.interrupted;
    const words = unread
      ? 'The file was not read to its end: import it again.'
      : 'The file was read by a version that kept no such counts, or it was not read to its end.';
    return {
      ...about,
      is: unread ? 'open' : 'unknown',
      figures: unread ? 'not read to its end' : 'not counted',
      words,
    };
  }
  const { lines, rows } = known.found;
  // The faulty lines of the last import are in the ledger; of earlier imports only their number is kept.
  const invalid = isLast ? state.invalid + state.kept : known.found.invalid;
  const duplicate = isLast ? state.duplicate : known.found.duplicate;
  const figures = `${counted(lines, 'line')} = ${counted(rows, 'row')} + ${grouped(invalid)} invalid + ${grouped(duplicate)} duplicate`;
  const differs = lines - rows - invalid - duplicate;
  if (differs === 0) return { ...about, is: 'right', figures };
  if (isLast && state.importing) return { ...about, is: 'open', figures: 'being read again' };
  const words =
    differs > 0
      ? `${counted(differs, 'line')} of the file led to nothing that the ledger knows.`
      : `The ledger knows ${counted(-differs, 'line')} more than the file has.`;
  return { ...about, is: 'wrong', figures, words };
}

function rowsCheck(state: PortfolioState): Check {
  const rows = rowCountOf(state);
  if (!state.counted) return olderThanCounts('rows', `${counted(rows, 'row')} in all states together`);
  const added = Object.values(state.counted.added).reduce((sum, count) => sum + count, 0);
  const figures = `${counted(added, 'row')} imported = ${grouped(rows)} in all states together`;
  if (added === rows) return { of: 'rows', is: 'right', figures };
  const words =
    added > rows
      ? `${counted(added - rows, 'imported row')} ${added - rows === 1 ? 'is' : 'are'} in no state.`
      : `${counted(rows - added, 'row')} ${rows - added === 1 ? 'is' : 'are'} in more than one state, or came in uncounted.`;
  return { of: 'rows', is: 'wrong', figures, words };
}

function limitsCheck(state: PortfolioState): Check {
  const { done, held } = state.states;
  if (!state.counted) return olderThanCounts('limits', `${counted(done, 'row')} done`);
  const made = state.counted.limitsMade;
  const figures = `${counted(done, 'row')} done = ${counted(made, 'limit')} made`;
  if (made === done) return { of: 'limits', is: 'right', figures };
  const missing = done - made - state.madeTwice;
  // A late response came for a row whose limit another call had made: it counts as made twice.
  if (made < done && missing <= 0)
    return { of: 'limits', is: 'right', figures: `${figures} + ${state.madeTwice} made twice` };
  if (made < done) {
    const words = `${counted(missing, 'done row')} ${missing === 1 ? 'has' : 'have'} no limit that a call of theirs made.`;
    return { of: 'limits', is: 'wrong', figures, words };
  }
  const underWay = held + rowsIn(state.states, UNFINISHED_STATES);
  if (made - done <= underWay) {
    const words = `${counted(made - done, 'limit was', 'limits were')} just made and will soon be noted in ${made - done === 1 ? 'its row' : 'their rows'}.`;
    return { of: 'limits', is: 'open', figures, words };
  }
  const over = made - done - underWay;
  const words = `${counted(over, 'limit was', 'limits were')} made whose ${over === 1 ? 'row is' : 'rows are'} not done.`;
  return { of: 'limits', is: 'wrong', figures, words };
}

function twiceCheck({ madeTwice, resent }: PortfolioState): Check {
  const again = resentWords(resent);
  if (madeTwice === 0 && again !== '') {
    const words = 'The outcome of the first sending is unknown. The service may have made the same thing twice.';
    return { of: 'twice', is: 'unknown', figures: `${again} allowed a second sending`, words };
  }
  if (madeTwice === 0) return { of: 'twice', is: 'right', figures: 'nothing made twice' };
  const words = 'The results name both ids; tell the service which one to remove.';
  return { of: 'twice', is: 'wrong', figures: `${counted(madeTwice, 'thing')} made twice`, words };
}

/** `2 documents`, `1 limit`: the counts in words, as `say` counts a noun; kinds with none are left out. */
export function thingsOf(counts: Readonly<Record<CallKind, number>>, say = counted): string[] {
  const some = CALL_KINDS.filter((kind) => counts[kind] > 0);
  return some.map((kind) => say(counts[kind], kind, KINDS[kind].several));
}

/** `2 documents, 1 limit`: calls that were sent again, or may be, without a response to the first; '' for none. */
export function resentWords(resent: PortfolioState['resent']): string {
  return thingsOf(resent).join(', ');
}

function olderThanCounts(of: 'rows' | 'limits', figures: string): Check {
  const words =
    'The portfolio is older than the count that this is compared with; npx limitline reconcile looks at each row.';
  return { of, is: 'unknown', figures, words };
}
