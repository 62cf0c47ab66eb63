import { fileURLToPath } from 'node:url';
import { runFile } from './commands/run.ts';
import { FAULT_STATUS, sayCrashes, sayFault } from './crash.ts';
import { makeTerminal } from './terminal/terminal.ts';

/** The example's own faults are there to be seen, so they do not make `npm start` fail. */
const EXPECTED_STATUS = 2;

const EXAMPLE = fileURLToPath(new URL('../examples/portfolio.csv', import.meta.url));

const [file] = process.argv.slice(2);
const terminal = makeTerminal({ json: false });
sayCrashes(terminal);
try {
  const status = await runFile(file ?? EXAMPLE, {}, terminal);
  process.exitCode = file === undefined && status === EXPECTED_STATUS ? 0 : status;
} catch (error) {
  sayFault(error, terminal);
  process.exitCode = FAULT_STATUS;
}
