import { loadWithDoubles } from './run/module-hooks.ts';
import { takeOverGlobals } from './run/virtual-globals.ts';

takeOverGlobals();
loadWithDoubles();
const { simulate } = await import('./simulate.ts');
await simulate(process.argv.slice(2));
