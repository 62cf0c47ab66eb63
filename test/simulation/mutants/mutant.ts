import type { Schedule } from '../run/schedule.ts';

/** A small fault that is inserted into a copy of the product while it is loaded. The simulator has to find it. */
export type Mutant = {
  id: string;
  /** The guard that it removes or inverts. */
  words: string;
  /** The file, relative to the project. If other Lua files include it, all of these change. */
  file: string;
  from: string;
  to: string;
  /** The worlds in which it is searched for. */
  worlds: readonly string[];
  /** Further changes: other guards of the same promise. */
  also?: readonly Change[];
  /** A schedule that finds it, for a mutant that few schedules find. It is played first. */
  by?: { world: string; schedule: Schedule };
};

/** A replaced text of a file. */
export type Change = Pick<Mutant, 'file' | 'from' | 'to'>;

export const changesOf = ({ file, from, to, also = [] }: Mutant): readonly Change[] => [{ file, from, to }, ...also];

/** The text with the fault; undefined if it lacks the text to be replaced. */
export function mutated(text: string, { from, to }: Pick<Mutant, 'from' | 'to'>): string | undefined {
  return text.includes(from) ? text.replaceAll(from, to) : undefined;
}

/** A mutant of a Lua file. */
export const lua = (
  name: string,
  id: string,
  words: string,
  [from, to]: readonly [string, string],
  worlds: readonly string[],
  also: readonly Change[] = [],
): Mutant => ({ id: `${name}: ${id}`, words, ...inLua(name, from, to), worlds, also });

/** The same mutant with a schedule that finds it. */
export const foundBy = (mutant: Mutant, by: NonNullable<Mutant['by']>): Mutant => ({ ...mutant, by });

/** One change of a Lua file. */
export const inLua = (name: string, from: string, to: string): Change => ({
  file: `src/ledger/lua/${name}.lua`,
  from,
  to,
});

export const TWO = [
  'refused too late, in two portfolios',
  'one request in two portfolios',
  'one row',
  'one buyer, two amounts',
];
export const RESENT = [
  'taken for vanished, and resent',
  'resent by settings',
  'answered for another, in two portfolios',
];
export const BOARD = ['the board', 'a plan of retries and the board', 'the board and a held row'];
export const CANCELLED = ['retried and cancelled', 'cancelled and wanted again', 'cancelled on the way'];
export const APPROVED = [
  'approved',
  'approved and imported again',
  'declined and wanted again',
  'declined, then below the limit',
];
export const PAUSED = ['paused and resumed', 'paused'];
export const RESOLVED = [
  'taken for vanished',
  'resolved twice',
  'resolved in two portfolios',
  'late answers and people',
];
export const CORRECTED = ['imported and corrected', 'corrected twice at once', 'corrected and retried'];
export const KEYED = ['one worker with a key', 'one worker with a key, resent by settings'];
