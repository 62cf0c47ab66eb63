import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Checks of some seconds. */
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

// Vitest runs beside the checks, since one of them takes longer and leaves a core idle. Arguments after `npm test --` go to vitest.
const tests = spawn('vitest', ['run', ...process.argv.slice(2)], { stdio: 'inherit', env });
const tested = new Promise<number>((resolve) => {
  tests.once('exit', (status) => resolve(status ?? 1));
});
// A terminal sends its Ctrl-C to vitest as well, whose tests clean up before this process ends, and to the checks, which did not fail then.
let isStopped = false;
process.on('SIGINT', () => {
  isStopped = true;
});
process.on('SIGTERM', () => tests.kill());

const checked = await Promise.all(CHECKS.map(([command, ...args]) => check(command, args)));
const failed = checked.filter(({ status }) => status !== 0 && !isStopped);
if (failed.length > 0) tests.kill('SIGINT');
process.exitCode = await tested;
for (const { said } of failed) process.stdout.write(said);
if (failed.length > 0) {
  // The tests were given up, so this is the last line in place of the one of last-line-reporter.ts.
  console.log(`${failed.map(({ command }) => command).join(' and ')} failed\n0 passed, ${failed.length} failed`);
  process.exitCode = 1;
}

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
