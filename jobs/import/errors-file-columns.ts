import { stat } from 'node:fs/promises';
import { isLimitlineError } from '../../src/errors.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import {
  isErrorsHeader,
  type LineOfFile,
  mendedLineOf,
  shortDigest,
} from '../../src/portfolio/columns/result-columns.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { makeProblem, type Problem, visible, WHOLE_FILE } from '../../src/portfolio/problem.ts';
import { type Copies, openImported } from '../rows/import-names.ts';

export type ErrorsFileDeps = { portfolios: Pick<Portfolios, 'allImports'>; imports: Copies };

/**
 * The warning that an errors file lacks columns of the file whose lines it corrects: the lines are requested without them. Nothing of other
 * files, of a pipe, which can be read only once, and where the copy of that file is gone.
 *
 * @param open opens the errors file once more
 */
export async function errorsFileColumns(
  { portfolio, path, opened, open }: { portfolio: string; path: string; opened: Opened; open: () => Promise<Opened> },
  deps: ErrorsFileDeps,
): Promise<Problem[]> {
  if (opened.problems.length > 0 || !isErrorsHeader(opened.header) || !(await stat(path)).isFile()) return [];
  const from = await firstOrigin(await open());
  const imports = from?.portfolio === portfolio ? await deps.portfolios.allImports(portfolio) : [];
  const origin = imports.findLast(({ id }) => shortDigest(id) === from?.file);
  const before = origin && (await openImported(origin, deps).catch(unlessGone));
  if (!before) return [];
  await before.close();
  const given = new Set(opened.columns.map(({ known }) => known));
  const lacking = before.columns.flatMap(({ known, written }) =>
    known && !given.has(known) ? [visible(written)] : [],
  );
  if (lacking.length === 0) return [];
  const [columns, them] = lacking.length === 1 ? ['column', 'it'] : ['columns', 'them'];
  const message = `This errors file lacks the ${columns} ${lacking.join(', ')}, which ${visible(origin.fileName)} has. Its lines are requested without ${them}: if that is not meant, add ${them} again.`;
  return [makeProblem(WHOLE_FILE, null, null, message)];
}

/** The line that the first line with an origin corrects. */
async function firstOrigin(opened: Opened): Promise<LineOfFile | undefined> {
  const mendedLine = mendedLineOf(opened.header);
  for await (const batch of opened.plainLines()) {
    for (const { cells } of batch) {
      const from = mendedLine(cells);
      if (from) return from;
    }
  }
  return undefined;
}

function unlessGone(error: unknown): undefined {
  if (!isLimitlineError(error, 'NOT_FOUND', 'FILE')) throw error;
}
