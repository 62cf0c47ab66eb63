import type { Command } from 'commander';
import { type BeforeForgetting, lookBeforeForgetting } from '../../jobs/archive/forget-buyers.ts';
import { type Forgotten, forgetPortfolio } from '../../jobs/archive/forget-portfolio.ts';
import { commandLineActor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import { counted, moneyText } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import { auditCommand } from '../audit/audit-command.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import { abortOnSignal } from '../process/long-running.ts';
import { askLine, canAsk, type Terminal } from '../terminal/terminal.ts';

/** `limitline forget NAME`: erases personal data of a portfolio from all that is kept. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('forget')
    .argument('<name>', 'the portfolio')
    .option('--yes <name>', 'its name once more; without it, the name is asked for')
    .action(async (name: string, { yes }: { yes?: string }) => {
      await onPortfolio(name, (context) => forget(name, yes, context, terminal), { alsoArchived: true });
    });
}

/** The text before a portfolio is forgotten: what is there, what is erased and what stays. */
function beforeWords(
  name: string,
  account: string,
  { states, requested, granted, currency, state }: BeforeForgetting,
): string {
  const rows = Object.values(states).reduce((sum, count) => sum + count, 0);
  return [
    `Portfolio ${name} of account ${account}: ${counted(rows, 'row')},`,
    `${moneyText(requested, currency)} requested, ${moneyText(granted, currency)} granted${state?.is === 'archived' ? '; it is archived' : ''}.`,
    '',
    'To forget it takes out for good what is known of people in it: names,',
    'contacts, addresses, register numbers, web addresses, references, what the',
    'service said in words, documents, imported files, uploads, archives, what the',
    'drop folder has, and events of the service that name a row of it, also where',
    'they name rows of others. Nothing brings that back.',
    '',
    'What stays: counts and sums, amounts and ids of what the service made, and',
    'digests, so that nothing is requested twice. Buyers that other portfolios ask',
    'for keep what those have of them. What the service has, backups, and files that',
    'were given away are not reached.',
  ].join('\n');
}

/** The text after a portfolio is forgotten: what was erased, and what is out of reach. */
function afterWords(name: string, { buyers, files, uploads, events, dropFolders }: Forgotten): string {
  const went = [
    buyers.forgotten > 0 ? counted(buyers.forgotten, 'buyer') : '',
    files.removed > 0 ? counted(files.removed, 'file') : '',
    uploads > 0 ? counted(uploads, 'upload') : '',
    events > 0 ? counted(events, 'event') : '',
  ].filter(Boolean);
  const shared = [
    buyers.shared > 0
      ? `${counted(buyers.shared, 'buyer')} that other portfolios ask for ${buyers.shared === 1 ? 'keeps' : 'keep'} what those have.`
      : '',
    files.needed > 0
      ? `${counted(files.needed, 'file')} that other portfolios name ${files.needed === 1 ? 'stays' : 'stay'}.`
      : '',
  ];
  return [
    `${name} is forgotten. Taken out: ${['its rows', ...went].join(', ')}.`,
    ...shared.filter(Boolean),
    '',
    'This command cannot delete the following, so somebody has to see to it:',
    '- the data at the service: ask it to erase the companies and their contacts;',
    '- results that runs left beside their files, downloads, mails and webhooks;',
    '- backups of Redis and of the data folder, and the append-only file of Redis',
    '  until it is rewritten: redis-cli BGREWRITEAOF;',
    '- events of the service in which no id or number of it stands: they go after',
    '  EVENTS_KEEP_DAYS, and npx limitline events export has them until then;',
    '- copies of files that were refused as a whole on the command line: no portfolio',
    '  names them, and npx limitline reconcile lists them from the next day on;',
    '- the audit trail, which is evidence: it has names of files, and who did what;',
    ...(dropFolders.length > 0
      ? ['- drop folders that this host does not have: remove files of it from their done', '  and rejected.']
      : []),
    '- copies in data folders of other hosts, where they do not share this one.',
  ].join('\n');
}

async function forget(name: string, yes: string | undefined, context: Context, terminal: Terminal): Promise<void> {
  const { account } = context;
  const before = await lookBeforeForgetting(name, context);
  if (before.state?.is === 'forgotten') return sayForgotten(name, before.state.sinceMs, account, terminal);
  const { signal, forget: noMore } = abortOnSignal();
  try {
    await mustBeMeant(name, { yes, before, signal }, context, terminal);
    const options = { by: commandLineActor(), signal };
    const ended = await auditCommand(context, () => forgetPortfolio(name, options, context), { facts: countsOf });
    terminal.print(afterWords(name, ended), { account, portfolio: name, forgotten: true, ...factsOf(ended) });
  } finally {
    noMore();
  }
}

/** @throws LimitlineError `USAGE` where the name is not repeated correctly */
async function mustBeMeant(
  name: string,
  { yes, before, signal }: { yes: string | undefined; before: BeforeForgetting; signal: AbortSignal },
  { account }: Context,
  terminal: Terminal,
): Promise<void> {
  let given = yes;
  if (given === undefined) {
    terminal.say(beforeWords(name, account, before));
    if (!canAsk()) {
      const message = `Nothing was changed. To forget the portfolio, run: limitline forget "${name}" --yes "${name}"`;
      throw new LimitlineError('USAGE', message);
    }
    given = (await askLine('\nType the name of the portfolio to forget it: ', signal))?.trim();
  }
  if (given !== name)
    throw new LimitlineError('USAGE', `That is not the name of the portfolio, ${name}: nothing was changed.`);
}

function sayForgotten(name: string, sinceMs: number, account: string, terminal: Terminal): void {
  const since = new Date(sinceMs).toISOString();
  terminal.print(`${name} was forgotten on ${since.slice(0, 10)}: nothing is left to do.`, {
    account,
    portfolio: name,
    forgotten: true,
    since,
  });
}

function factsOf({ buyers, files, uploads, events, dropFolders }: Forgotten) {
  return { buyers, files, uploads, events, dropFolders };
}

function countsOf({ buyers, files, uploads, events }: Forgotten) {
  return { buyers: buyers.forgotten, shared: buyers.shared, files: files.removed, uploads, events };
}
