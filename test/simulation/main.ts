import { mutated } from './mutants/mutant.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { loadWithDoubles, type SourceChange } from './run/module-hooks.ts';
import { takeOverGlobals } from './run/virtual-globals.ts';

takeOverGlobals();
loadWithDoubles(changes());
const { simulate } = await import('./simulate.ts');
await simulate(process.argv.slice(2));

/** What a mutant changes of modules has to be known before they are loaded. */
function changes(): SourceChange[] {
  const at = process.argv.indexOf('--mutant');
  const mutant = MUTANTS.find(({ id }) => at > 0 && id === process.argv[at + 1]);
  if (!mutant?.file.endsWith('.ts')) return [];
  return [{ file: mutant.file, change: (text) => mutated(text, mutant) ?? text }];
}
