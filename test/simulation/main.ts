import { changesOf, mutated } from './mutants/mutant.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { loadWithDoubles, type SourceChange } from './run/module-hooks.ts';
import { takeOverGlobals } from './run/virtual-globals.ts';

takeOverGlobals();
loadWithDoubles(changes());
// A simulated process that ends leaves its streams half read.
process.on('unhandledRejection', (error: NodeJS.ErrnoException) => {
  if (error?.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
});
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  if (error?.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
  console.error(error);
  process.exit(1);
});
const { simulate } = await import('./simulate.ts');
await simulate(process.argv.slice(2));

/** What a mutant changes of modules has to be known before they are loaded. */
function changes(): SourceChange[] {
  const at = process.argv.indexOf('--mutant');
  const mutant = MUTANTS.find(({ id }) => at > 0 && id === process.argv[at + 1]);
  const ofModules = mutant ? changesOf(mutant).filter(({ file }) => file.endsWith('.ts')) : [];
  return ofModules.map((one) => ({ file: one.file, change: (text) => mutated(text, one) ?? text }));
}
