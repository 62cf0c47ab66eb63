import { heldElsewhere } from '../../jobs/operators/held-elsewhere.ts';
import { type HeldFilePlan, planHeldFile, resolvePlan } from '../../jobs/operators/plan-held-file.ts';
import { resolvedOf } from '../../jobs/operators/resolution.ts';
import { importNames } from '../../jobs/rows/import-names.ts';
import { counted } from '../../src/counted.ts';
import { elsewhereWords } from '../../src/ledger/plans/plan.ts';
import { readResolutionFile } from '../../src/portfolio/results/resolution-file.ts';
import { askedWords } from '../approval/asked-words.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import { goingOn } from '../terminal/going-on.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { NOTHING_CHANGED, resolvedWords, rowsHere } from './resolved-words.ts';

/**
 * `resolve NAME --from FILE`: applies all answers of a file, or none if any is impossible. Answers the exit status: 2 with
 * problems.
 */
export async function resolveFile(
  name: string,
  path: string,
  { dryRun = false }: { dryRun?: boolean },
  terminal: Terminal,
): Promise<number> {
  const file = await readResolutionFile(path);
  return onPortfolio(name, async (context) => {
    const plan = await planHeldFile(name, file, context);
    const counts = { portfolio: name, file: path, silent: file.silent, problems: plan.problems };
    if (plan.problems.length > 0) {
      terminal.print(problemWords(path, plan), { ...counts, calls: 0, rows: 0, of: [] });
      return PROBLEMS_STATUS;
    }
    if (dryRun) {
      const imports = await importNames(name, context);
      const of = plan.planned.map(({ found, made }) => resolvedOf(found, made, imports));
      const found = [plan.planned.map((one) => one.found)];
      const goes = elsewhereWords(await heldElsewhere(name, found, context));
      const words = [...of.map((one) => resolvedWords(one, true)), ...goes, silentWords(file.silent), NOTHING_CHANGED];
      terminal.print(words.filter(Boolean).join('\n'), { ...counts, dryRun, of });
      return 0;
    }
    const resolution = await resolvePlan(plan, context, (of) => terminal.answer(resolvedWords(of)));
    const { goes, workers } = await goingOn(rowsHere(resolution), name, context);
    const last = resolution.waits
      ? askedWords(name, resolution.waits)
      : `${counted(resolution.calls, 'call')} resolved; ${goes}`;
    const others = elsewhereWords(resolution.elsewhere);
    terminal.print([silentWords(file.silent), ...others, last].filter(Boolean).join('\n'), {
      ...counts,
      ...resolution,
      workers,
    });
    return 0;
  });
}

function problemWords(path: string, { problems }: HeldFilePlan): string {
  const found = problems.map(({ at, message }) => `${path}, line ${at}: ${message}`);
  return [
    ...found,
    `Nothing was done: ${counted(problems.length, 'line')} of ${path} ${problems.length === 1 ? 'is wrong; mend it' : 'are wrong; mend them'} first.`,
  ].join('\n');
}

function silentWords(silent: number): string {
  if (silent === 0) return '';
  const [gives, changes] = silent === 1 ? ['gives', 'changes'] : ['give', 'change'];
  return `${counted(silent, 'line')} of the file ${gives} neither an id nor "resend", and ${changes} nothing.`;
}
