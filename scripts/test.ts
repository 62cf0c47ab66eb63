import { spawnSync } from 'node:child_process';

/** What `npm test` checks, in the order in which it is cheapest to find out. Words behind `npm test --` go to vitest. */
const CHECKS: [command: string, ...words: string[]][] = [
  ['biome', 'check', '--error-on-warnings', '.'],
  ['tsc'],
  ['vitest', 'run', ...process.argv.slice(2)],
];

for (const [command, ...words] of CHECKS) {
  const { status } = spawnSync(command, words, { stdio: 'inherit' });
  if (status !== 0) {
    // vitest has its own last line; the others fail before there is one.
    if (command !== 'vitest') console.log(`${command} failed\n0 passed, 1 failed`);
    process.exit(status ?? 1);
  }
}
