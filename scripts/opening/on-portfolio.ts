import { accountOf, readSettings } from '../../src/config.ts';
import { type Context, openContext } from '../../src/context.ts';
import { LimitlineError } from '../../src/errors.ts';
import { makeWordsLog } from '../../src/log.ts';
import { auditWholeCommand, isSending } from '../audit/audit-command.ts';
import { announceFolder } from './announce-folder.ts';

/**
 * Opens what a command on the ledger needs, says which data folder that is, and closes it again, whatever happens. What the
 * command changes is audited here, as scripts/audit/command-kinds.ts has it.
 *
 * @param audited.facts what came of it, for the audit; by default the counts in the answer
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

/** @throws LimitlineError `OLDER` where rows are to be sent and nothing is, before anything is done */
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
 * The same for a command on a portfolio, which must be there.
 *
 * @param options.alsoArchived for a command that has something to say of one that is archived, or on its way
 */
export function onPortfolio<T>(
  name: string,
  run: (context: Context) => Promise<T>,
  { alsoArchived = false } = {},
): Promise<T> {
  return opened(async (context) => {
    // First, since a fault is one line.
    if (!alsoArchived || !(await context.archives.read(name))) await mustExist(name, context);
    announce(context);
    return auditWholeCommand(context, () => run(context));
  });
}

function announce({ settings }: Context): void {
  announceFolder(settings, (text) => process.stderr.write(`${text}\n`));
}

/**
 * @throws LimitlineError `NOT_FOUND`, with the names that there are, or where else there is one of this name; `USAGE` where it is
 *   archived, with what brings it back
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
  // The latest ones: who mistypes the name of one that is archived finds it in no list above.
  const gone = (await archives.page(0, 10)).map((archived) => archived.name);
  const archived = gone.length > 0 ? `; archived or forgotten are: ${gone.join(', ')}` : '';
  const elsewhere = await accounts.having(name);
  const there =
    elsewhere.length > 0
      ? ` Account ${elsewhere.join(', ')} has one: set SERVICE_ACCOUNT (or SERVICE_URL) to look there.`
      : '';
  return new LimitlineError(
    'NOT_FOUND',
    `There is no portfolio "${name}" in account ${account} (ledger: ${redis.where}); ${known}${archived}.${there}`,
  );
}
