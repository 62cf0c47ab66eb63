import { stat } from 'node:fs/promises';
import { isPortfolioName, rowIdOf } from '../../src/ledger/schema/schema.ts';
import {
  FROM_COLUMN,
  isErrorsHeader,
  mendedLineOf,
  mendedRowOf,
  ROW_COLUMN,
} from '../../src/portfolio/columns/result-columns.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { makeProblem, WHOLE_FILE } from '../../src/portfolio/problem.ts';

/**
 * Refuses an errors file of another portfolio as a whole, before any line is put. Its lines would be requested in addition to
 * those that they correct. The check reads an errors file once more; other files and pipes, which can be read only once, are
 * not checked.
 *
 * @param open opens the same file a second time
 */
export async function refuseForeign(
  opened: Opened,
  { portfolio, path }: { portfolio: string; path: string },
  open: () => Promise<Opened>,
): Promise<Opened> {
  if (opened.problems.length > 0 || !isErrorsHeader(opened.header) || !(await stat(path)).isFile()) return opened;
  const foreign = await foreignRows(await open(), portfolio);
  const [first] = foreign;
  if (!first) return opened;
  await opened.close();
  const names = [...new Set(foreign.map((one) => one.portfolio))];
  const whose = names.map((name) => `"${name}"`).join(', ');
  const remedy =
    names.length === 1
      ? `Import it into that one: npx limitline run FILE --portfolio "${names[0]}".`
      : 'Make one file for each of these portfolios, and import it with --portfolio.';
  const message = `This errors file mends lines of portfolio ${whose}, not of "${portfolio}" (the first is in line ${first.line}). ${remedy}`;
  return { ...opened, problems: [makeProblem(WHOLE_FILE, first.column, first.cell, message)], batches: noBatches };
}

/** Of each other portfolio that the file names in a row or line, the first line that does. */
async function foreignRows(file: Opened, portfolio: string): Promise<Foreign[]> {
  const found = new Map<string, Foreign>();
  const [mendedRow, mendedLine] = [mendedRowOf(file.header), mendedLineOf(file.header)];
  for await (const batch of file.batches()) {
    for (const { line, cells } of batch) {
      const row = mendedRow(cells);
      const ofRow = rowIdOf(row)?.portfolio;
      const named = ofRow ?? mendedLine(cells)?.portfolio;
      // A name that no portfolio can have was damaged by another program.
      if (named === undefined || named === portfolio || !isPortfolioName(named) || found.has(named)) continue;
      const [column, cell] = ofRow === undefined ? [FROM_COLUMN, named] : [ROW_COLUMN, row];
      found.set(named, { portfolio: named, line, column, cell });
    }
  }
  return [...found.values()];
}

type Foreign = { portfolio: string; line: number; column: string; cell: string };

async function* noBatches(): AsyncGenerator<never> {}
