import type { Command } from 'commander';
import { commandNameOf } from './audit/audit-command.ts';
import type { Terminal } from './terminal/terminal.ts';

type CommandModule = { register: (program: Command, terminal: Terminal) => void };

/**
 * All commands, in the order in which a new user meets them, with their text in `--help`. So `--help` need not load the
 * commands and their imports, which takes a second.
 */
export const COMMANDS: Readonly<Record<string, { usage: string; says: string; load: () => Promise<CommandModule> }>> = {
  check: {
    usage: '[options] <file>',
    says: 'read and validate a file; nothing is stored, nothing is sent',
    load: () => import('./commands/check.ts'),
  },
  run: {
    usage: '[options] <file>',
    says: 'import a file, work until the portfolio is finished, and report',
    load: () => import('./commands/run.ts'),
  },
  import: {
    usage: '[options] <file>',
    says: 'import a file into a portfolio; workers do the rest (limitline work)',
    load: () => import('./commands/import.ts'),
  },
  up: {
    usage: '',
    says: 'everything at once, until Ctrl-C: Redis (if none is given), workers, the web console, nightly checks, and the listener for events where EVENTS_PORT is set',
    load: () => import('./commands/up.ts'),
  },
  work: {
    usage: '[options]',
    says: 'work on all portfolios until SIGTERM or SIGINT; a second signal, two seconds later or more, stops at once',
    load: () => import('./commands/work.ts'),
  },
  console: {
    usage: '[options]',
    says: 'the web console, until SIGTERM or SIGINT; rows are sent by workers (limitline work)',
    load: () => import('./commands/console.ts'),
  },
  portfolios: {
    usage: '[options]',
    says: 'list all portfolios, newest last: file, start, states of the rows and sums',
    load: () => import('./commands/portfolios.ts'),
  },
  report: { usage: '[options] [name]', says: 'what became of a portfolio', load: () => import('./commands/report.ts') },
  statuses: {
    usage: '[options] [status]',
    says: 'list the statuses that the service answered and what they mean, or set what one means',
    load: () => import('./commands/statuses.ts'),
  },
  decisions: {
    usage: '[options] <file>',
    says: 'take in what the service decided later about limits that were under review',
    load: () => import('./commands/decisions.ts'),
  },
  retry: {
    usage: '[options] <name>',
    says: 'send refused rows again, from the step that refused them',
    load: () => import('./commands/retry.ts'),
  },
  resolve: {
    usage: '[options] <name>',
    says: 'say what became of held calls, so that their rows go on',
    load: () => import('./commands/resolve.ts'),
  },
  sessions: {
    usage: '[options] <name>',
    says: 'ask for a hosted session for each limit, by the call that SERVICE_SESSION_FILE describes',
    load: () => import('./commands/sessions.ts'),
  },
  approve: {
    usage: '[options] <name>',
    says: 'approve what another person submitted, so that it is sent',
    load: () => import('./commands/approve.ts'),
  },
  decline: {
    usage: '[options] <name>',
    says: 'decline what another person submitted, so that it is not sent',
    load: () => import('./commands/decline.ts'),
  },
  pause: {
    usage: '[options] [name]',
    says: 'start no new calls for one portfolio, or at one step of all portfolios; calls in flight are still answered',
    load: () => import('./commands/pause.ts'),
  },
  resume: {
    usage: '[options] [name]',
    says: 'let a paused portfolio or queue go on',
    load: () => import('./commands/resume.ts'),
  },
  cancel: {
    usage: '[options] <name>',
    says: "cancel a portfolio's rows that are not sent yet; importing them again brings them back",
    load: () => import('./commands/cancel.ts'),
  },
  archive: {
    usage: '[options] <name>',
    says: 'put a finished portfolio into files, and take its rows out of Redis',
    load: () => import('./commands/archive.ts'),
  },
  forget: {
    usage: '[options] <name>',
    says: 'erase what is known of people in a finished or archived portfolio, for good',
    load: () => import('./commands/forget.ts'),
  },
  restore: {
    usage: '<name>',
    says: 'put an archived portfolio back into Redis, as it was',
    load: () => import('./commands/restore.ts'),
  },
  recover: {
    usage: '[options] <files...>',
    says: 'restore a lost ledger from results files; without --apply, only say what would be restored',
    load: () => import('./commands/recover.ts'),
  },
  'acknowledge-rollback': {
    usage: '',
    says: 'confirm that Redis lacks no request, although it is older than the last send, so that work goes on',
    load: () => import('./commands/acknowledge-rollback.ts'),
  },
  reconcile: {
    usage: '[options]',
    says: 'compare the stored data, correct what is certain, and write a report',
    load: () => import('./commands/reconcile.ts'),
  },
  rule: {
    usage: '',
    says: 'rules by which refused rows are sent again at night',
    load: () => import('./commands/rule.ts'),
  },
  schedule: {
    usage: '',
    says: 'what runs at night and when, how it went last, and who sees to it',
    load: () => import('./commands/schedule.ts'),
  },
  nightly: {
    usage: '[options]',
    says: 'what the schedule says is due, the drop folder and notices: once, or until SIGTERM with --wait',
    load: () => import('./commands/nightly.ts'),
  },
  notices: {
    usage: '[options]',
    says: 'what people were told of, where notices go, and whether they arrive',
    load: () => import('./commands/notices.ts'),
  },
  inbox: {
    usage: '[options]',
    says: 'what lies in the drop folder, what was taken from it, and what became of it',
    load: () => import('./commands/inbox.ts'),
  },
  mapping: {
    usage: '',
    says: 'save under a name how a file is read, for files in the drop folder',
    load: () => import('./commands/mapping.ts'),
  },
  user: {
    usage: '',
    says: 'who may sign in to the console, and what they may do there',
    load: () => import('./commands/user.ts'),
  },
  audit: {
    usage: '',
    says: 'who did what, when and from where; and whether these entries were changed since',
    load: () => import('./commands/audit.ts'),
  },
  events: {
    usage: '[options]',
    says: 'list the events that the service sent, and the rows that they name',
    load: () => import('./commands/events.ts'),
  },
  service: {
    usage: '[options]',
    says: 'run the stand-in of the service by itself, until SIGTERM or SIGINT',
    load: () => import('./commands/service.ts'),
  },
};

/** The exit statuses of all commands whose statuses are others than {@link PLAINLY}. `--help` and docs/commands.md show both. */
const EXIT_STATUSES: Readonly<Record<string, string>> = {
  check: '0 fine, 1 after a fault, 2 problems',
  run: '0 all done, and with --sessions each limit that was not declined has a link; 1 after a fault; 2 where a person must act, or a signal stopped the command; 3 the time of --deadline is over',
  import: '0 fine; 1 after a fault; 2 problems, or its question was answered with no',
  work: '0 stopped, or nothing is open; 1 after a fault; with --until-settled 2 where something stays open, or a signal stopped the command; 3 the time of --deadline is over',
  decisions:
    '0; 1 after a fault; 2 where a line was not taken, a row does not follow its decision yet, or the file has no line',
  retry:
    '0, also where no row is in the state; 1 after a fault, where no row has the --cause or --error, or where the row of --line or --row cannot be sent again',
  resolve:
    '0; 1 after a fault; 2 where the question was answered with no, a line of the file is wrong, or no line of the file is filled in',
  sessions:
    '0; 1 after a fault, where no file describes the call, or no such row has a limit; 2 where nothing could be asked for the named row',
  approve: '0; 1 where nothing was done',
  decline: '0; 1 where nothing was done',
  archive: '0; 1 after a fault; 2 where the question was answered with no',
  recover: '0; 1 after a fault; 2 with something left out',
  reconcile: '0; 1 after a fault; 2 with findings',
  'schedule run': '0; 1 where the task failed or was stopped; 2 with findings',
  nightly: '0; without --wait 1 where something failed, and 2 with findings',
  'notices test': '0; 1 after a fault; 2 where a test was not delivered',
  'audit verify': '0; 1 after a fault; 2 where a link of the trail does not hold',
  'events try': '0; 1 after a fault, or where the file has no event; 2 where something cannot be read',
  'events take': '0; 1 after a fault; 2 where something cannot be read',
};

const PLAINLY = '0, or 1 after a fault';

export function exitStatusOf(command: Command): string {
  return EXIT_STATUSES[commandNameOf(command)] ?? PLAINLY;
}

/** Adds the exit status to the help of a command, and to its faults of arguments where that help is found. */
function completeHelp(command: Command): void {
  const width = process.stdout.columns || 80;
  command.addHelpText('after', command.createHelp().boxWrap(`\nExit status: ${exitStatusOf(command)}.`, width));
  const lists = command.commands.length > 0 ? 'commands' : 'arguments and options';
  endFaultsBy(command, `(limitline ${commandNameOf(command)} --help lists its ${lists})`);
  for (const sub of command.commands) completeHelp(sub);
}

/** Ends each fault of a command's arguments by where its help is found, in the same line. */
function endFaultsBy(command: Command, help: string): void {
  const { outputError } = command.configureOutput();
  command.configureOutput({
    outputError: (text, write) => outputError?.(`${text.trimEnd().replaceAll('\n', ' ')} ${help}\n`, write),
  });
}

/**
 * Registers only the commands that the arguments name: `check` loads no code for Redis and uses no memory for it. Without a
 * command, the names suffice for `--help`, `--version` or an error.
 */
export async function registerNamed(args: readonly string[], program: Command, terminal: Terminal): Promise<void> {
  const named = Object.keys(COMMANDS).filter((name) => args.includes(name));
  for (const name of named) (await COMMANDS[name]?.load())?.register(program, terminal);
  for (const command of program.commands) completeHelp(command.description(COMMANDS[command.name()]?.says ?? ''));
  endFaultsBy(program, '(limitline --help lists the commands)');
  if (named.length > 0) return;
  const usageOf = (one: Command) => COMMANDS[one.name()]?.usage ?? one.usage();
  program.configureHelp({
    showGlobalOptions: true,
    subcommandTerm: (one) => `${one.name()} ${usageOf(one)}`.trimEnd(),
  });
  for (const [name, { says }] of Object.entries(COMMANDS)) program.command(name).description(says);
}
