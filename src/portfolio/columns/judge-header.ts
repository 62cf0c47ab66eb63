import type { HeaderJudgement, Vocabulary } from '../../table/find-header.ts';
import type { RawRecord } from '../../table/records.ts';
import { saysThousands } from '../values/amount-unit.ts';
import { namesCurrency } from '../values/currencies.ts';
import { headerMeaningOf } from './aliases.ts';
import { NEEDED, ownNameOf } from './known-columns.ts';
import { type Mapping, matchMapping } from './mapping.ts';

/** The parts of a mapping that help to recognize a header. */
export type HeaderHints = Pick<Mapping, 'columns' | 'constants'>;

/** The vocabulary by which readers of tables recognize a header of buyers. @param hints what a person said of the columns */
export function vocabularyOf(hints?: Partial<HeaderHints>): Vocabulary {
  return { judgeHeader: (record) => judgeHeader(record, hints), saysThousands, namesCurrency };
}

/**
 * How likely a record is a header. Below another record, a header must name two known columns, one of them needed: one cell of a list of
 * buyers may happen to equal a column name.
 */
export function judgeHeader(
  { cells, fault }: Pick<RawRecord, 'cells' | 'fault'>,
  hints: Partial<HeaderHints> = {},
): HeaderJudgement {
  const { columns = {}, constants = {} } = hints;
  const certain = new Set<string>();
  const possible = new Set<string>();
  const written = cells.map((cell) => cell.trim());
  const { entryOf } = matchMapping(written, columns);
  // A header of a million cells is refused elsewhere; known columns are among the first.
  for (const cell of written.slice(0, MAX_CELLS)) {
    if (cell === '' || cell.length > MAX_NAME_LENGTH) continue;
    const entry = entryOf(cell);
    const own = ownNameOf(cell);
    const { known, guess } = entry || own ? { known: entry?.means ?? own, guess: null } : headerMeaningOf(cell);
    if (known) certain.add(known);
    else if (guess) possible.add(guess);
  }
  const needed = NEEDED.filter((name) => constants[name] === undefined);
  const named = new Set([...certain, ...possible]);
  return {
    score: certain.size + (named.size - certain.size) / 2,
    isComplete: fault === null && needed.length > 0 && needed.every((name) => certain.has(name)),
    canBe: fault === null && named.size > 1 && needed.some((name) => named.has(name)),
  };
}

/** How many known columns a header's cells name. Guesses count half. */
export function headerScore(cells: string[], hints?: Partial<HeaderHints>): number {
  return judgeHeader({ cells, fault: null }, hints).score;
}

/** Most cells of a header that are compared: Excel allows 16,384 columns. */
const MAX_CELLS = 16_384;

/** Most characters of a column name. The longest name in the tables has some 40, and a longer text is no column name. */
const MAX_NAME_LENGTH = 120;
