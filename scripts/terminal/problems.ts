import type { Problem } from '../../src/portfolio/row.ts';

/** Problems shown one by one; a file with a hundred thousand of them is told by these and a count. */
const SHOWN = 1_000;

/** `line 7, requested_limit "12,5": …` */
export function problemText({ line, column, value, message }: Problem): string {
  const where = column === null ? `line ${line}` : `line ${line}, ${column}`;
  return value === null || value === '' ? `${where}: ${message}` : `${where} ${JSON.stringify(value)}: ${message}`;
}

export type ProblemList = ReturnType<typeof makeProblemList>;

/** Collects problems for a command's answer, writes each as it is found, and stops at a thousand, saying so once. */
export function makeProblemList(write: (text: string) => void) {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const counts = { problems: 0, warnings: 0 };

  const keep = (kind: 'problems' | 'warnings', found: Problem, mark: string): void => {
    const kept = kind === 'problems' ? problems : warnings;
    counts[kind] += 1;
    if (kept.length < SHOWN) {
      kept.push(found);
      write(problemText(found) + mark);
    } else if (counts[kind] === SHOWN + 1) {
      write(`… more than ${SHOWN} ${kind}; the rest is counted, and stands in the errors file of an import.`);
    }
  };

  return {
    problems,
    warnings,
    counts,
    add(found: { problems: readonly Problem[]; warnings: readonly Problem[] }): void {
      for (const problem of found.problems) keep('problems', problem, '');
      for (const warning of found.warnings) keep('warnings', warning, ' (a warning)');
    },
  };
}
