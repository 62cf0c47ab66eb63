import { changesOf, mutated } from './mutants/mutant.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { forgiveHalfReadStreams, loadWithDoubles, type SourceChange } from './run/module-hooks.ts';
import { takeOverGlobals } from './run/virtual-globals.ts';

takeOverGlobals();
loadWithDoubles(changes());
forgiveHalfReadStreams();
const { simulate } = await import('./simulate.ts');
await simulate(process.argv.slice(2));

/** The changes of a mutant must be known before modules are loaded. */
function changes(): SourceChange[] {
  const at = process.argv.indexOf('--mutant');
  const mutant = MUTANTS.find(({ id }) => at > 0 && id === process.argv[at + 1]);
  const ofModules = mutant ? changesOf(mutant).filter(({ file }) => file.endsWith('.ts')) : [];
  return ofModules.map((one) => ({ file: one.file, change: (text) => mutated(text, one) ?? text }));
}
