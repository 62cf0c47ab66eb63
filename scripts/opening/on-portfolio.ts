import { Option } from 'commander';
import { accountOf, readSettings, type Settings, STAND_IN_CREDENTIALS } from '../../src/config.ts';
import { type Context, openContext } from '../../src/context.ts';
import { folderWords } from '../../src/data-folder.ts';
import { LimitlineError } from '../../src/errors.ts';
import { type Log, makeWordsLog } from '../../src/log.ts';
import { chooseProxy } from '../../src/proxy.ts';
import { QUEUES, type QueueName } from '../../src/queue/queues.ts';
import { isRefusedAsFull } from '../../src/redis-memory/memory.ts';
import { STAND_IN_ACCOUNT } from '../../src/stand-in-account.ts';
import { auditWholeCommand, isSending } from '../audit/audit-command.ts';

/**
 * Opens the context for a command, prints the data folder, and always closes the context again. The command is audited as the table in
 * scripts/audit/command-kinds.ts says.
 *
 * @param audited.facts the result for the audit; by default the counts in the answer
 */
export function withContext<T>(
  run: (context: Context) => Promise<T>,
  audited: { facts?: (answer: T) => Readonly<Record<string, unknown>> } = {},
): Promise<T> {
  return opened((context) => {
    announce(context);
    return auditWholeCommand(context, () => run(context), audited);
  });
}

/** @throws LimitlineError `OLDER` for a command that sends rows while Redis is older than what was sent */
async function opened<T>(run: (context: Context) => Promise<T>): Promise<T> {
  const settings = readSettings();
  const sends = isSending();
  const context = await openContext({
    settings,
    log: makeWordsLog({ level: settings.LOG_LEVEL, account: accountOf(settings) }),
    saysOlder: !sends,
  });
  try {
    if (sends) await context.marks.check();
    return await run(context);
  } finally {
    await context.close();
  }
}

/**
 * Opens the context for a command on a portfolio, which must exist.
 *
 * @param options.alsoArchived whether the command accepts archived portfolios
 */
export function onPortfolio<T>(
  name: string,
  run: (context: Context) => Promise<T>,
  { alsoArchived = false } = {},
): Promise<T> {
  return opened(async (context) => {
    // The portfolio is checked before anything is printed, so that a fault is the only line.
    if (!alsoArchived || !(await context.archives.read(name))) await mustExist(name, context);
    announce(context);
    return auditWholeCommand(context, () => run(context));
  });
}

function announce({ settings }: Context): void {
  announceFolder(settings, (text) => process.stderr.write(`${text}\n`));
}

/**
 * @throws LimitlineError `NOT_FOUND`, with existing names and other accounts that have this one; `USAGE` for an archived
 *   portfolio, with how to restore it
 */
export async function mustExist(name: string, context: Context): Promise<void> {
  await context.portfolios.mustBeHere(name);
  if ((await context.portfolios.read(name)).startedMs === undefined) throw await unknownPortfolio(name, context);
}

async function unknownPortfolio(
  name: string,
  { account, accounts, archives, portfolios, redis }: Context,
): Promise<LimitlineError> {
  const names = await portfolios.names();
  const which = names.length > 10 ? 'the latest are' : 'known are';
  const known = names.length > 0 ? `${which}: ${names.slice(-10).join(', ')}` : 'none was imported yet';
  // The latest ten archived portfolios are named, too, because they are in no other list.
  const gone = (await archives.page(0, 10)).map((archived) => archived.name);
  const archived = gone.length > 0 ? `; archived or forgotten are: ${gone.join(', ')}` : '';
  const elsewhere = await accounts.having(name);
  const there =
    elsewhere.length > 0
      ? ` Account ${elsewhere.join(', ')} has one: set SERVICE_ACCOUNT (or SERVICE_URL) to look there.`
      : '';
  const message = `There is no portfolio "${name}" in account ${account} (ledger: ${redis.where}); ${known}${archived}.${there}`;
  return new LimitlineError('NOT_FOUND', message);
}

/** `--queue NAME`: all rows of the account at one step, instead of a portfolio. */
export function queueOption(does: string): Option {
  return new Option('--queue <name>', `${does} one of the queues instead, for all portfolios`).choices(QUEUES);
}

/**
 * Acts on the given portfolio or queue, and answers which it was.
 *
 * @throws LimitlineError `USAGE` where both are given, or neither
 */
export async function onPortfolioOrQueue(
  { name, queue }: { name: string | undefined; queue: QueueName | undefined },
  run: {
    portfolio: (name: string, context: Context) => Promise<unknown>;
    queue: (queue: QueueName, context: Context) => Promise<unknown>;
  },
): Promise<{ portfolio: string } | { queue: QueueName }> {
  if (name !== undefined && queue === undefined) {
    await onPortfolio(name, (context) => run.portfolio(name, context));
    return { portfolio: name };
  }
  if (queue !== undefined && name === undefined) {
    await withContext((context) => run.queue(queue, context));
    return { queue };
  }
  throw new LimitlineError('USAGE', 'Name a portfolio, or a queue with --queue, and not both.');
}

/**
 * Enters the account, and prints its name and the data folder first. Tells if the account is new, which may mean a wrong data
 * folder or address.
 *
 * @param serves whether the command imports nothing: then it may start while Redis' memory is full
 */
export async function announceAccount(context: Context, say: (text: string) => void, serves = false): Promise<void> {
  const { account, accounts, redis, settings } = context;
  const used = await accounts.isUsed(account);
  await context.enterAccount().catch((error) => {
    // A command that imports nothing starts although Redis' memory is full: the first import enters the account, too.
    if (!serves || !isRefusedAsFull(error)) throw error;
  });
  say(
    used
      ? `limitline: account ${account}`
      : `limitline: account ${account}, in which nothing was requested yet (ledger: ${redis.where})`,
  );
  announceFolder(settings, say);
}

/** Prints which settings come from a file, and which data folder is used: requests in one folder are unknown in another. */
export function announceFolder(settings: Settings, say: (text: string) => void): void {
  const { dotenv } = settings;
  if (dotenv) say(`limitline: settings from ${dotenv.path}: ${dotenv.names.join(', ')}`);
  say(`limitline: ${folderWords({ path: settings.LIMITLINE_DATA, by: settings.dataFolderBy })}`);
}

/** The service's address; `close` ends a stand-in. */
type ServiceAddress = {
  url: string;
  standIn: boolean;
  /** The proxy to it, for people, if there is one. */
  proxy: string | undefined;
  close: () => Promise<void>;
};

/**
 * The service of the settings. Without one, starts the stand-in in this process and says so clearly, because its limits are not real.
 *
 * @throws LimitlineError `SETTINGS` where an account or credentials are set without a service
 */
export async function findService(settings: Settings, log: Log, say: (text: string) => void): Promise<ServiceAddress> {
  const { SERVICE_URL: url, SERVICE_ACCOUNT: account } = settings;
  if (url !== undefined) {
    return { url, standIn: false, proxy: chooseProxy(url, settings)?.where, close: async () => {} };
  }
  if (account !== undefined && account !== STAND_IN_ACCOUNT) {
    const message = `SERVICE_ACCOUNT is "${account}", but SERVICE_URL is not set, and the stand-in has an account of its own; set SERVICE_URL, or leave SERVICE_ACCOUNT out.`;
    throw new LimitlineError('SETTINGS', message);
  }
  if (settings.SERVICE_CLIENT_ID !== STAND_IN_CREDENTIALS.clientId) {
    const words =
      'SERVICE_CLIENT_ID is set, but SERVICE_URL is not, so only the stand-in could be called; set SERVICE_URL, or leave the credentials out to use the stand-in.';
    throw new LimitlineError('SETTINGS', words);
  }
  // Loaded late, because most commands have a service.
  const { makeStandIn } = await import('../../src/stand-in/stand-in.ts');
  const standIn = makeStandIn({
    host: '127.0.0.1',
    port: 0,
    credentials: { clientId: settings.SERVICE_CLIENT_ID, clientSecret: settings.SERVICE_CLIENT_SECRET },
    log,
  });
  await standIn.start();
  say('limitline: SERVICE_URL is not set: using the STAND-IN on this machine. Nothing is really requested of anybody.');
  return { url: standIn.url(), standIn: true, proxy: undefined, close: () => standIn.close() };
}
