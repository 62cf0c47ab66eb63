import type { Command } from 'commander';
import { type Cancelled, cancelRows } from '../../jobs/operators/cancel-rows.ts';
import { counted } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { RowFilter } from '../../src/ledger/search/row-filter.ts';
import {
  actOnChosen,
  answerLimitMs,
  cameWords,
  cancelledWords,
  causeOfFilter,
  chosenFilter,
  heldWords,
  plannedOf,
  planWords,
  type RowChoice,
  underWayWords,
  withChoiceOptions,
} from '../choice/row-choice.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline cancel NAME`: cancels the rows that have not been sent. */
export function register(program: Command, terminal: Terminal): void {
  withChoiceOptions(program.command('cancel').argument('<name>', 'the portfolio'))
    .option('--dry-run', 'with --cause or --where: say what that would give up, and do nothing')
    .action(async (name: string, { dryRun, ...choice }: RowChoice & { dryRun?: boolean }) => {
      const filter = chosenFilter(choice);
      if (filter) return cancelChosen(name, filter, { dryRun }, terminal);
      if (dryRun) throw new LimitlineError('USAGE', '--dry-run works only with --cause or --where.');
      const ended = await onPortfolio(name, (context) =>
        cancelRows({ portfolio: name, awaitMs: answerLimitMs(context) }, context),
      );
      const { cancelled, answered, open } = ended;
      terminal.print(cancelWords(name, ended), { portfolio: name, cancelled, answered, open });
    });
}

async function cancelChosen(
  name: string,
  filter: RowFilter,
  { dryRun = false }: { dryRun?: boolean | undefined },
  terminal: Terminal,
): Promise<void> {
  await onPortfolio(name, async (context) => {
    const cause = await causeOfFilter(name, filter, context);
    const acted = await actOnChosen({ portfolio: name, action: 'cancel', filter }, { dryRun }, context);
    const { done = 0, came = 0, underWay = 0 } = acted.state ?? {};
    const words = dryRun || acted.plan.rows === 0 ? planWords(acted.plan) : cancelledWords(name, done);
    const parts = [words, underWayWords(underWay), heldWords(name, cause, acted.plan.rows), cameWords(came)];
    terminal.print(parts.filter(Boolean).join('\n'), {
      portfolio: name,
      ...(dryRun ? { dryRun, ...plannedOf(acted.plan) } : { cancelled: done, open: underWay, changed: came }),
      ...(cause ? { cause: cause.id } : {}),
    });
    return { planned: acted.plan.rows, cancelled: done, changed: came };
  });
}

function cancelWords(name: string, { cancelled, answered, open }: Cancelled): string {
  const rows = counted(cancelled, 'row');
  const parts = [
    `${rows} of portfolio ${name} ${cancelled === 1 ? 'is' : 'are'} cancelled; nothing more is sent for this portfolio.`,
  ];
  if (answered > 0) {
    const [was, has] = answered === 1 ? ['was', 'has'] : ['were', 'have'];
    parts.push(`${counted(answered, 'call')} ${was} on the way and ${has} been answered.`);
  }
  if (open > 0) {
    const calls = `${counted(open, 'call')} ${open === 1 ? 'has' : 'have'} not been answered`;
    parts.push(
      `${calls} yet; ${open === 1 ? 'its answer decides how its row ends' : 'their answers decide how their rows end'}.`,
    );
  }
  if (cancelled > 0)
    parts.push(`To send ${cancelled === 1 ? 'it' : 'them'} after all: npx limitline retry "${name}" --state cancelled`);
  return parts.join(' ');
}
