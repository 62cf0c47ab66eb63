import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** What takes seconds and goes before the tests, both at once: a core each. */
const CHECKS: [command: string, ...args: string[]][] = [
  ['biome', 'check', '--error-on-warnings', '.'],
  // One checker takes two thirds of the processor time of four, and no more than what changed is checked again.
  ['tsc', '--checkers', '1', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/tests.tsbuildinfo'],
];

/** A process of the tests need not compile again what another did. */
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/tests', import.meta.url)),
};

const checked = await Promise.all(CHECKS.map(([command, ...args]) => check(command, args)));
for (const { said } of checked) process.stdout.write(said);
const failed = checked.filter(({ status }) => status !== 0).map(({ command }) => command);
if (failed.length > 0) {
  // vitest has its own last line; these fail before there is one.
  console.log(`${failed.join(' and ')} failed\n0 passed, ${failed.length} failed`);
  process.exit(1);
}
// Arguments behind `npm test --` go to vitest.
process.exitCode = spawnSync('vitest', ['run', ...process.argv.slice(2)], { stdio: 'inherit', env }).status ?? 1;

/** Runs a check to its end, and answers all that it said in one piece, so that two at once can be read. */
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
