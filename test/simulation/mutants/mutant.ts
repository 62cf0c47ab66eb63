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
