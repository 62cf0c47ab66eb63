import { type HeldOverview, heldOverview } from '../../jobs/operators/held-overview.ts';
import { resolveCalls } from '../../jobs/operators/resolve-calls.ts';
import { counted } from '../../src/counted.ts';
import { countLiving } from '../../src/ledger/presence.ts';
import type { Step } from '../../src/ledger/row.ts';
import { askedWords } from '../approval/asked-words.ts';
import { auditCommand } from '../audit/audit-command.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import type { ResolveOptions } from '../options/resolve-options.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import { askYesOrNo, canAsk } from '../terminal/ask.ts';
import { goingOn } from '../terminal/going-on.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { NOTHING_CHANGED } from './resolved-words.ts';

/**
 * `resolve NAME --all --resend`: says what would be sent again, asks on a terminal, and lets it go. Answers the exit status:
 * 2 after a no.
 */
export function resolveAll(name: string, options: ResolveOptions, terminal: Terminal): Promise<number> {
  const { step, dryRun, yes } = options;
  return onPortfolio(name, async (context) => {
    const held = await heldOverview(name, step, context);
    const look = lookWords(name, held, step);
    if (dryRun) {
      terminal.print(`${look}\n${NOTHING_CHANGED}`, { portfolio: name, held, dryRun: true });
      return 0;
    }
    const asks = !isEmpty(held) && !yes && canAsk();
    // Who is asked has to see it before; otherwise it is a part of the answer.
    if (asks) terminal.say(`limitline: ${look}`);
    else terminal.answer(look);
    if (asks && !(await askYesOrNo('Send them again? [y/N] ', NEVER))) {
      terminal.print('Nothing was changed.', { portfolio: name, held, calls: 0, rows: 0 });
      return PROBLEMS_STATUS;
    }
    const resolution = await auditCommand(context, () => resolveCalls({ portfolio: name, step }, context));
    const workers = await countLiving({ connection: context.ledger, keys: context.keys });
    const words = resolution.waits
      ? askedWords(name, resolution.waits)
      : `${counted(resolution.calls, 'call')} resolved; ${goingOn(resolution.rows, workers)}`;
    terminal.print(words, { portfolio: name, held, ...resolution, workers });
    return 0;
  });
}

/** Ctrl-C at the question ends the command, and nothing was done by then. */
const NEVER = new AbortController().signal;

function isEmpty({ steps, supplier }: HeldOverview): boolean {
  return steps.length === 0 && !supplier;
}

function lookWords(name: string, held: HeldOverview, step: Step | undefined): string {
  if (isEmpty(held)) return `Nothing of portfolio ${name} is held${step === undefined ? '' : ` at the step ${step}`}.`;
  const parts = held.steps.map(
    ({ step, rows, requested }) => `${counted(rows, 'row')} held at the step ${step}, ${requested} in total`,
  );
  if (held.supplier) parts.push("the supplier's company");
  return `To be sent again: ${parts.join('; ')}. Whatever the service did make of them is then made twice.`;
}
