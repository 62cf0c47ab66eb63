import { CALL_KINDS, type CallKind, KINDS } from '../../call-kind.ts';
import { counted, grouped } from '../../counted.ts';
import { rowsIn, UNFINISHED_STATES } from '../schema/row.ts';
import type { KnownImport } from './imports.ts';
import type { PortfolioState } from './portfolio.ts';
import { rowCountOf } from './summary.ts';

/**
 * Two counts of one thing that were kept apart from each other, held against each other. `right` and `wrong` say how that came
 * out, `open` that it cannot be told before something has ended, `unknown` that one of the counts is not there.
 */
export type Check = {
  of: 'lines' | 'rows' | 'limits' | 'twice';
  is: 'right' | 'wrong' | 'open' | 'unknown';
  /** What is compared, as an equation: `103 lines = 100 rows + 2 invalid + 1 duplicate`. */
  figures: string;
  /** What differs, or why it cannot be told; in a sentence. */
  words?: string;
  /** The import that it is about. */
  import?: Pick<KnownImport, 'number' | 'fileName'>;
};

/**
 * Whether a portfolio's counts prove that nothing was lost and nothing was made twice. Nothing is read for it but counts that
 * stand there anyway; `reconcile` goes through the rows themselves.
 *
 * The counts have different sources: lines are counted by who read the file, faulty ones by the sizes of the ledger's lists;
 * rows by the sizes of the indexes by state, and each once more when it came; limits when a call made one, apart from the row.
 */
export function proofOf(state: PortfolioState, imports: readonly KnownImport[]): Check[] {
  return [...imports.map((one) => linesCheck(one, state)), rowsCheck(state), limitsCheck(state), twiceCheck(state)];
}

/** One word for all of them: what is wrong goes before what cannot be told. */
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
      : 'It was read before such counts were kept, or not to its end.';
    return {
      ...about,
      is: unread ? 'open' : 'unknown',
      figures: unread ? 'not read to its end' : 'not counted',
      words,
    };
  }
  const { lines, rows } = known.found;
  // What the last import's faulty lines are stands in the ledger, line by line; of earlier ones their number is left.
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
  const figures = `${counted(added, 'row')} brought in = ${grouped(rows)} in all states together`;
  if (added === rows) return { of: 'rows', is: 'right', figures };
  const words =
    added > rows
      ? `${counted(added - rows, 'row')} that came in ${added - rows === 1 ? 'is' : 'are'} in no state.`
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
  // A late answer to a row whose limit another one had made: that is told of as made twice.
  if (made < done && missing <= 0)
    return { of: 'limits', is: 'right', figures: `${figures} + ${state.madeTwice} made twice` };
  if (made < done) {
    const words = `${counted(missing, 'done row')} ${missing === 1 ? 'has' : 'have'} no limit that a call of theirs made.`;
    return { of: 'limits', is: 'wrong', figures, words };
  }
  const underWay = held + rowsIn(state.states, UNFINISHED_STATES);
  if (made - done <= underWay) {
    const words = `${counted(made - done, 'limit')} made, and being written down in ${made - done === 1 ? 'its row' : 'their rows'}.`;
    return { of: 'limits', is: 'open', figures, words };
  }
  const over = made - done - underWay;
  const words = `${counted(over, 'limit was', 'limits were')} made whose ${over === 1 ? 'row is' : 'rows are'} not done.`;
  return { of: 'limits', is: 'wrong', figures, words };
}

function twiceCheck({ madeTwice, resent }: PortfolioState): Check {
  const again = resentWords(resent);
  if (madeTwice === 0 && again !== '') {
    const words = `No answer told of the first sending. The service may have made something of it, too, and does not say so.`;
    return { of: 'twice', is: 'unknown', figures: `${again} allowed a second sending`, words };
  }
  if (madeTwice === 0) return { of: 'twice', is: 'right', figures: 'nothing made twice' };
  const words = 'The results name both ids; tell the service which one to remove.';
  return { of: 'twice', is: 'wrong', figures: `${counted(madeTwice, 'thing')} made twice`, words };
}

/** `2 documents`, `1 limit`: so many of each kind, without those of which there are none. */
export function thingsOf(counts: Readonly<Record<CallKind, number>>): string[] {
  const some = CALL_KINDS.filter((kind) => counts[kind] > 0);
  return some.map((kind) => counted(counts[kind], kind, KINDS[kind].several));
}

/** `2 documents, 1 limit`, of calls that may be sent again, or were, without an answer to the first; '' where there were none. */
export function resentWords(resent: PortfolioState['resent']): string {
  return thingsOf(resent).join(', ');
}

function olderThanCounts(of: 'rows' | 'limits', figures: string): Check {
  const words =
    'The portfolio is older than the count that this is compared with; npx limitline reconcile looks at each row.';
  return { of, is: 'unknown', figures, words };
}
