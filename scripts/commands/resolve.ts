import type { Command } from 'commander';
import type { ResolutionSummary } from '../../jobs/operators/plan-held-file.ts';
import { resolveCalls } from '../../jobs/operators/resolve-calls.ts';
import { currencyOfPortfolio } from '../../jobs/rows/import-names.ts';
import { counted } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import { elsewhereWords } from '../../src/ledger/plans/plan.ts';
import { askedWords } from '../approval/approval-words.ts';
import { auditCommand } from '../audit/audit-command.ts';
import { approvedFirst } from '../choice/row-choice.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import type { ResolveOptions } from '../options/resolve-options.ts';
import { asksFirst, checkResolveOptions, unlessRight, withResolveOptions } from '../options/resolve-options.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import {
  NOTHING_CHANGED,
  resolveAll,
  resolvedWords,
  resolveFile,
  rowsHere,
  UNCHANGED,
} from '../resolve/resolve-rows.ts';
import { askYesOrNo, goingOn, NEVER, type Terminal } from '../terminal/terminal.ts';

/** `limitline resolve NAME`: a person says what became of held calls. */
export function register(program: Command, terminal: Terminal): void {
  withResolveOptions(program.command('resolve').argument('<name>', 'the portfolio')).action(
    async (name: string, options: ResolveOptions) => {
      checkResolveOptions(options);
      if (options.from !== undefined) process.exitCode = await resolveFile(name, options.from, options, terminal);
      else if (options.all) process.exitCode = await resolveAll(name, options, terminal);
      else await resolveLine(name, options, terminal);
    },
  );
}

/** Resolves one row. On a terminal, the row is shown first; if it was sent again since, it is left alone. */
async function resolveLine(name: string, options: ResolveOptions, terminal: Terminal): Promise<void> {
  const { line, row, step, made, dryRun } = options;
  const payload = { portfolio: name, line, row, step, made, dryRun };
  await onPortfolio(name, async (context) => {
    const currency = await currencyOfPortfolio(name, context);
    const asks = asksFirst(options);
    const shown = asks || made !== undefined ? await resolveCalls({ ...payload, dryRun: true }, context) : undefined;
    if (shown?.strange !== undefined && !asks && !dryRun && !options.idIsRight)
      throw new LimitlineError('USAGE', `Nothing was done. ${unlessRight(shown.strange)}`);
    if (shown && asks) {
      terminal.say(`limitline: ${wordsOf(shown, currency, true)}`);
      if (!(await askYesOrNo('Is that so? [y/N] ', NEVER))) {
        terminal.print(UNCHANGED, { portfolio: name, calls: 0, rows: 0 });
        process.exitCode = PROBLEMS_STATUS;
        return {};
      }
    }
    const act = () => resolveCalls({ ...payload, ...shown?.looked }, context);
    const { looked: _, ...resolution } = await (asks ? auditCommand(context, act) : act());
    const { goes, workers } = await goingOn(rowsHere(resolution), name, context);
    const last = resolution.waits
      ? askedWords(name, resolution.waits, currency)
      : dryRun
        ? NOTHING_CHANGED
        : `${counted(resolution.calls, 'call')} resolved; ${goes}`;
    const answer = { portfolio: name, ...resolution, workers, ...(dryRun ? { dryRun } : {}) };
    terminal.print([wordsOf(resolution, currency, dryRun), last].join('\n'), answer);
    return resolution;
  });
}

function wordsOf(
  { of = [], elsewhere, strange, waits, approval }: ResolutionSummary,
  currency: string | undefined,
  dryRun = false,
): string {
  const said = of.map((one) => resolvedWords(one, currency, dryRun ? 'would be' : waits ? 'will be' : 'is'));
  const before = [...(dryRun && strange ? [strange] : []), ...approvedFirst({ approval })];
  return [...said, ...before, ...elsewhereWords(elsewhere)].join('\n');
}
