import type { Schedule } from '../run/schedule.ts';

/** A small fault that is put into a copy of the product while it is loaded: the simulator has to find it. */
export type Mutant = {
  id: string;
  /** Which guard it takes away, or what it turns round. */
  words: string;
  /** The file, below the project. Of a Lua file that others include all of these are changed. */
  file: string;
  from: string;
  to: string;
  /** Where it is looked for. */
  worlds: readonly string[];
  /** What else is changed with it: other guards that hold the same thing. */
  also?: readonly Change[];
  /** By which schedule it is found, where few are: it is played first. */
  by?: { world: string; schedule: Schedule };
};

/** Another text in the place of one of a file. */
export type Change = Pick<Mutant, 'file' | 'from' | 'to'>;

export const changesOf = ({ file, from, to, also = [] }: Mutant): readonly Change[] => [{ file, from, to }, ...also];

/** A text with the fault in it; nothing where what is to be changed is not there. */
export function mutated(text: string, { from, to }: Pick<Mutant, 'from' | 'to'>): string | undefined {
  return text.includes(from) ? text.replaceAll(from, to) : undefined;
}

/** A change of a Lua file. */
export const lua = (
  name: string,
  id: string,
  words: string,
  [from, to]: readonly [string, string],
  worlds: readonly string[],
  also: readonly Change[] = [],
): Mutant => ({ id: `${name}: ${id}`, words, ...inLua(name, from, to), worlds, also });

/** The same mutant, with the schedule that finds it. */
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
