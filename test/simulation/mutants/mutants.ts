import { CALL_MUTANTS } from './call-mutants.ts';
import { MEND_MUTANTS } from './mend-mutants.ts';
import type { Mutant } from './mutant.ts';
import { ROW_MUTANTS } from './row-mutants.ts';
import { SOURCE_MUTANTS } from './source-mutants.ts';

export const MUTANTS: readonly Mutant[] = [...CALL_MUTANTS, ...ROW_MUTANTS, ...SOURCE_MUTANTS, ...MEND_MUTANTS];

/** @throws when no mutant has this name */
export function mutantOf(id: string): Mutant {
  const found = MUTANTS.find((mutant) => mutant.id === id);
  if (!found) throw new Error(`No mutant is called ${id}.`);
  return found;
}
