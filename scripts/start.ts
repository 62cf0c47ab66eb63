import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { beginCommand } from './audit/audit-command.ts';
import { register } from './commands/run.ts';
import { sayNotices } from './opening/say-notices.ts';
import { useStandInOnly } from './opening/stand-in-only.ts';
import { endByFault, sayCrashes, surviveOutput } from './process/crash.ts';
import { PROBLEMS_STATUS } from './process/exit-status.ts';
import { makeTerminal } from './terminal/terminal.ts';
import { runUp } from './up/run-up.ts';

const EXAMPLE = fileURLToPath(new URL('../examples/portfolio.csv', import.meta.url));

const args = process.argv.slice(2);
const terminal = makeTerminal({ json: args.includes('--json') });
sayCrashes(terminal);
surviveOutput(terminal);

/** `limitline run` under another name, with the same options. */
const program = new Command('npm start --')
  .option('--json', 'print JSON on standard output, and nothing else there')
  .configureHelp({ showGlobalOptions: true, commandUsage: () => 'npm start -- [FILE] [options]' })
  .configureOutput({ outputError: (text, write) => write(`limitline: ${text.trim().replace(/\s*\n\s*/g, ' ')}\n`) })
  .exitOverride()
  .hook('preAction', (_program, command) => {
    beginCommand(command);
    return sayNotices('run', terminal);
  });
register(program, terminal);
const [run] = program.commands;
run?.description(
  'Import a file, work until the portfolio is finished, and report, as limitline run does. Without a file it runs the example, on the stand-in only, whatever the settings say.',
);

const isWatched = process.stdin.isTTY && process.stdout.isTTY && !terminal.json;
/** Whether the person ended the example with Ctrl-C. Then the console is not started afterwards. */
let wasEnded = false;
const end = () => {
  wasEnded = true;
};

try {
  const isExample = args.length === 0 || (args.length === 1 && terminal.json);
  if (isExample) useStandInOnly(terminal.say);
  if (isExample && isWatched) process.once('SIGINT', end);
  await program.parseAsync(['run', ...(isExample ? [EXAMPLE] : []), ...args], { from: 'user' });
  // The example has faults on purpose, so they do not make `npm start` fail.
  if (isExample && process.exitCode === PROBLEMS_STATUS) process.exitCode = 0;
  process.off('SIGINT', end);
  // A person on a terminal gets the console next. For a script, the command ends.
  if (isExample && isWatched && !wasEnded && process.exitCode === 0) {
    // After the report, the log shows only warnings.
    process.env.LOG_LEVEL ||= 'warn';
    process.exitCode = await runUp(terminal);
  }
} catch (error) {
  endByFault(error, terminal);
}
