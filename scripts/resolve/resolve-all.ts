import { type Acted, isEmpty } from '../../jobs/plans/act-on-rows.ts';
import { counted } from '../../src/counted.ts';
import { elsewhereWords, type Plan } from '../../src/ledger/plans/plan.ts';
import { groupedAmount } from '../../src/money-text.ts';
import { askedWords } from '../approval/asked-words.ts';
import { auditCommand } from '../audit/audit-command.ts';
import { actOnChosen, actOnShown } from '../choice/act-on-chosen.ts';
import { approvedFirst, cameWords, plannedOf } from '../choice/chosen-words.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import { asksFirst, type ResolveOptions } from '../options/resolve-options.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import { askYesOrNo, NEVER } from '../terminal/ask.ts';
import { goingOn } from '../terminal/going-on.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { NOTHING_CHANGED } from './resolved-words.ts';

/**
 * `resolve NAME --all --resend`: tells what would be sent again, asks on a terminal, and resends that. Leaves alone what was
 * held or lost since. Answers the exit status: 2 after a no.
 */
export function resolveAll(name: string, options: ResolveOptions, terminal: Terminal): Promise<number> {
  const { step, dryRun = false } = options;
  const filter = { states: ['held'] as const, ...(step === undefined ? {} : { step }) };
  return onPortfolio(name, async (context) => {
    const { plan } = await actOnChosen({ portfolio: name, action: 'resend', filter }, { dryRun: true }, context);
    const planned = { ...plannedOf(plan), supplier: plan.supplier, elsewhere: plan.elsewhere };
    const look = lookWords(plan);
    if (dryRun || isEmpty(plan)) {
      terminal.print(dryRun ? `${look}\n${NOTHING_CHANGED}` : look, { portfolio: name, planned, dryRun, rows: 0 });
      return 0;
    }
    // A person must see it before the question; otherwise it is part of the answer.
    if (asksFirst(options)) terminal.say(`limitline: ${look}`);
    else terminal.answer(look);
    if (asksFirst(options) && !(await askYesOrNo('Send them again? [y/N] ', NEVER))) {
      terminal.print('Nothing was changed.', { portfolio: name, planned, rows: 0 });
      return PROBLEMS_STATUS;
    }
    const facts = ({ state, waits }: Acted) => ({ rows: waits ? 0 : state?.done, changed: state?.came });
    const acted = await auditCommand(context, () => actOnShown(plan, context), { facts });
    const { rows = 0, changed = 0 } = facts(acted);
    const supplier = plan.supplier && rows === 0 ? "The supplier's company is sent again" : undefined;
    const { goes, workers } = await goingOn(rows, name, context, supplier);
    const { waits } = acted;
    const words = waits ? askedWords(name, waits) : [goes, cameWords(changed)].filter(Boolean).join('\n');
    terminal.print(words, { portfolio: name, planned, rows, changed, workers, ...(waits ? { waits } : {}) });
    return 0;
  });
}

function lookWords(plan: Plan): string {
  const { portfolio, rows, sum, isExact, supplier, elsewhere, filter } = plan;
  const { step } = filter;
  if (rows === 0 && isExact && !supplier)
    return `Nothing of portfolio ${portfolio} is held${step === undefined ? '' : ` at the step ${step}`}.`;
  const held = `${isExact ? '' : 'at least '}${counted(rows, 'held row')}${step === undefined ? '' : ` of the step ${step}`}`;
  const parts = [
    ...(rows > 0 ? [`${held}, ${groupedAmount(sum)} in total`] : []),
    ...(supplier ? ["the supplier's company"] : []),
  ];
  const words = `To be sent again: ${parts.join('; ')}. Whatever the service did make of them is then made twice.`;
  return [words, ...approvedFirst(plan), ...elsewhereWords(elsewhere)].join(' ');
}
