import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What `npm test` checks, in the order in which it is cheapest to find out. Words behind `npm test --` go to vitest. */
const CHECKS: [command: string, ...words: string[]][] = [
  ['biome', 'check', '--error-on-warnings', '.'],
  ['tsc'],
  ['vitest', 'run', ...process.argv.slice(2)],
];

/** Each test file has a process of its own, and need not compile again what others did. */
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/tests', import.meta.url)),
};

for (const [command, ...words] of CHECKS) {
  const { status } = spawnSync(command, words, { stdio: 'inherit', env });
  if (status !== 0) {
    // vitest has its own last line; the others fail before there is one.
    if (command !== 'vitest') console.log(`${command} failed\n0 passed, 1 failed`);
    process.exit(status ?? 1);
  }
}
