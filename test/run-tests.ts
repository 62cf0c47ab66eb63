import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Checks of some seconds before the tests. They run in parallel, one core each. */
const CHECKS: [command: string, ...args: string[]][] = [
  ['biome', 'check', '--error-on-warnings', '.'],
  // With one checker, tsc takes two thirds of the CPU time that it takes with four; `--incremental` checks only changes.
  ['tsc', '--checkers', '1', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/tests.tsbuildinfo'],
];

/** Test processes share compiled code. */
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/tests', import.meta.url)),
};

const checked = await Promise.all(CHECKS.map(([command, ...args]) => check(command, args)));
for (const { said } of checked) process.stdout.write(said);
const failed = checked.filter(({ status }) => status !== 0).map(({ command }) => command);
if (failed.length > 0) {
  // Vitest does not begin after a failed check, so this prints the last line that last-line-reporter.ts would print.
  console.log(`${failed.join(' and ')} failed\n0 passed, ${failed.length} failed`);
  process.exit(1);
}
// Arguments after `npm test --` go to vitest.
process.exitCode = spawnSync('vitest', ['run', ...process.argv.slice(2)], { stdio: 'inherit', env }).status ?? 1;

/** Runs a check and returns its whole output, so that the output of two checks does not mix. */
async function check(command: string, args: string[]) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const ended = new Promise<number>((resolve) => {
    child.once('error', (error) => {
      console.log(`${command}: ${error.message}`);
      resolve(1);
    });
    child.once('exit', (status) => resolve(status ?? 1));
  });
  const [status, ...said] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { command, status, said: said.join('') };
}
