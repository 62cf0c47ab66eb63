import { type Plan, planWords } from '../../jobs/operators/plan-words.ts';
import { resolvePlan, spokenOf } from '../../jobs/operators/resolve-calls.ts';
import { importNames } from '../../jobs/operators/row-meant.ts';
import { counted } from '../../src/counted.ts';
import { countLiving } from '../../src/ledger/presence.ts';
import { readResolutionFile } from '../../src/portfolio/results/resolution-file.ts';
import { goingOn } from '../terminal/going-on.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { PROBLEMS_STATUS } from './check.ts';
import { onPortfolio } from './on-portfolio.ts';
import { NOTHING_CHANGED, resolvedWords } from './resolved-words.ts';

/**
 * `resolve NAME --from FILE`: all that a file says, or nothing where any of it cannot be meant. Answers the exit status:
 * 2 with problems.
 */
export async function resolveFile(
  name: string,
  path: string,
  { dryRun = false }: { dryRun?: boolean },
  terminal: Terminal,
): Promise<number> {
  const file = await readResolutionFile(path);
  return onPortfolio(name, async (context) => {
    const plan = await planWords(name, file, context);
    const counts = { portfolio: name, file: path, silent: file.silent, problems: plan.problems };
    if (plan.problems.length > 0) {
      terminal.print(problemWords(path, plan), { ...counts, calls: 0, rows: 0, of: [] });
      return PROBLEMS_STATUS;
    }
    if (dryRun) {
      const imports = await importNames(name, context);
      const of = plan.planned.map(({ found, word }) => spokenOf(found, word.made, imports));
      const words = [...of.map((one) => resolvedWords(one, true)), silentWords(file.silent), NOTHING_CHANGED];
      terminal.print(words.filter(Boolean).join('\n'), { ...counts, dryRun, of });
      return 0;
    }
    const resolution = await resolvePlan(plan, context, (of) => terminal.answer(resolvedWords(of)));
    const workers = await countLiving({ connection: context.ledger, keys: context.keys });
    const last = `${counted(resolution.calls, 'call')} resolved; ${goingOn(resolution.rows, workers)}`;
    terminal.print([silentWords(file.silent), last].filter(Boolean).join('\n'), { ...counts, ...resolution, workers });
    return 0;
  });
}

function problemWords(path: string, { problems }: Plan): string {
  const found = problems.map(({ at, message }) => `${path}, line ${at}: ${message}`);
  return [...found, `Nothing was done: ${counted(problems.length, 'line')} of ${path} cannot be meant so.`].join('\n');
}

function silentWords(silent: number): string {
  return silent === 0
    ? ''
    : `${counted(silent, 'line')} of the file ${silent === 1 ? 'says' : 'say'} nothing of a held row.`;
}
