import type { Command } from 'commander';
import { type Forgotten, forgetPortfolio } from '../../jobs/archive/forget-portfolio.ts';
import { type BeforeForgetting, lookBeforeForgetting } from '../../jobs/archive/may-forget.ts';
import { commandLineActor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import { LimitlineError } from '../../src/errors.ts';
import { afterWords, beforeWords } from '../archive/forget-words.ts';
import { auditCommand } from '../audit/audit-command.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import { waitForSignal } from '../process/signals.ts';
import { askLine, canAsk } from '../terminal/ask.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline forget NAME`: erases personal data of a portfolio from all that is kept. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('forget')
    .argument('<name>', 'the portfolio')
    .description('erase what is known of people in a finished or archived portfolio, for good')
    .option('--yes <name>', 'its name once more; without it, the name is asked for')
    .action(async (name: string, { yes }: { yes?: string }) => {
      await onPortfolio(name, (context) => forget(name, yes, context, terminal), { alsoArchived: true });
    });
}

async function forget(name: string, yes: string | undefined, context: Context, terminal: Terminal): Promise<void> {
  const { account } = context;
  const before = await lookBeforeForgetting(name, context);
  if (before.state?.is === 'forgotten') return sayForgotten(name, before.state.sinceMs, account, terminal);
  const ending = new AbortController();
  const { signal, forget: noMore } = waitForSignal();
  void signal.then((which) => ending.abort(new Error(`${which} came`)));
  try {
    await mustBeMeant(name, { yes, before, signal: ending.signal }, context, terminal);
    const options = { by: commandLineActor(), signal: ending.signal };
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
      throw new LimitlineError(
        'USAGE',
        `Nothing was changed. To forget it, say: limitline forget "${name}" --yes "${name}"`,
      );
    }
    given = (await askLine('\nType the name of the portfolio to forget it: ', signal))?.trim();
  }
  if (given !== name) throw new LimitlineError('USAGE', `That is not its name, ${name}: nothing was changed.`);
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
