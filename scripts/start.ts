import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { readSettings } from '../src/config.ts';
import { LimitlineError } from '../src/errors.ts';
import { readGiven } from '../src/given-settings.ts';
import { beginCommand } from './audit/audit-command.ts';
import { register } from './commands/run.ts';
import { runUp } from './commands/up.ts';
import { sayNotices } from './opening/say-notices.ts';
import { endByFault, sayCrashes, surviveOutput } from './process/crash.ts';
import { PROBLEMS_STATUS } from './process/exit-status.ts';
import { makeTerminal } from './terminal/terminal.ts';

/** Settings that lead to a service and its account. Others, such as a time limit, stay. */
const LEADING = [
  'SERVICE_URL',
  'SERVICE_ACCOUNT',
  'SERVICE_CLIENT_ID',
  'SERVICE_CLIENT_ID_FILE',
  'SERVICE_CLIENT_SECRET',
  'SERVICE_CLIENT_SECRET_FILE',
  'SERVICE_TOKEN_FIELD',
];

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

/**
 * Ignores settings of a real service in this process, and says so: the example's buyers are invented, and are requested of the
 * stand-in only.
 *
 * @throws LimitlineError `SETTINGS` where a service would be called all the same, which would be a fault of ours
 */
function useStandInOnly(say: (text: string) => void): void {
  const given = readGiven({ env: process.env, cwd: process.cwd(), names: ['SERVICE_URL'], inFiles: [] });
  // An empty environment variable hides the value in a .env file.
  for (const name of LEADING) process.env[name] = '';
  const { SERVICE_URL, SERVICE_ACCOUNT } = readSettings();
  if (SERVICE_URL !== undefined || SERVICE_ACCOUNT !== undefined) {
    const message =
      'The example runs on the stand-in only, but .env sets SERVICE_URL or SERVICE_ACCOUNT; remove it from .env.';
    throw new LimitlineError('SETTINGS', message);
  }
  if (given.values.SERVICE_URL !== undefined) {
    say('limitline: SERVICE_URL is ignored: the example runs on the stand-in, and no service is called.');
  }
}
