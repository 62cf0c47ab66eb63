import { stat } from 'node:fs/promises';
import { isLimitlineError } from '../../src/errors.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { isErrorsHeader, mendedLineOf, shortDigest } from '../../src/portfolio/columns/result-columns.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { makeProblem, type Problem, visible, WHOLE_FILE } from '../../src/portfolio/problem.ts';
import { type ReadOptions, readOptionsSchema } from '../../src/portfolio/read-options.ts';
import { type Copies, openImported } from '../rows/import-names.ts';

/** An errors file for a portfolio. */
type Given = {
  portfolio: string;
  path: string;
  opened: Opened;
  open: () => Promise<Opened>;
  reading: ReadOptions;
};

export type ErrorsFileDeps = { portfolios: Pick<Portfolios, 'allImports'>; imports: Copies };

/**
 * The warnings that an errors file lacks columns of files whose lines it corrects: the lines are requested without them. Nothing of other
 * files, of a pipe, which can be read only once, and where the copy of such a file is gone.
 *
 * @param open opens the errors file once more
 */
export async function errorsFileColumns(
  { portfolio, path, opened, open, reading }: Given,
  deps: ErrorsFileDeps,
): Promise<Problem[]> {
  if (opened.problems.length > 0 || !isErrorsHeader(opened.header) || !(await stat(path)).isFile()) return [];
  const from = await originsOf(await open(), portfolio);
  const imports = from.size > 0 ? await deps.portfolios.allImports(portfolio) : [];
  const given = new Set(readColumnsOf(opened, reading).keys());
  const warnings: Problem[] = [];
  for (const file of from) {
    const origin = imports.findLast(({ id }) => shortDigest(id) === file);
    const before = origin && (await openImported(origin, deps).catch(unlessGone));
    if (!before) continue;
    await before.close();
    const lacking = [...readColumnsOf(before, readOptionsSchema.parse(JSON.parse(origin.reading)))].filter(
      ([known]) => !given.has(known),
    );
    // Each column is named once, of the first file that has it.
    for (const [known] of lacking) given.add(known);
    const names = lacking.map(([, written]) => visible(written));
    if (names.length > 0) warnings.push(lackingWarning(names, origin));
  }
  return warnings;
}

/** The columns of a file that are read or sent, as it writes them, and those with one value for all lines. */
function readColumnsOf({ columns }: Opened, { mapping }: ReadOptions): Map<string, string> {
  return new Map([
    ...columns.flatMap(({ known, extra, written }) => {
      const name = known ?? extra;
      return name ? [[name, written] as const] : [];
    }),
    ...Object.keys(mapping?.constants ?? {}).map((known) => [known, known] as const),
  ]);
}

function lackingWarning(names: readonly string[], { fileName }: { fileName: string }): Problem {
  const [columns, them] = names.length === 1 ? ['column', 'it'] : ['columns', 'them'];
  const message = `This errors file lacks the ${columns} ${names.join(', ')}, which ${visible(fileName)} has. Its lines are requested without ${them}: if that is not meant, add ${them} again.`;
  return makeProblem(WHOLE_FILE, null, null, message);
}

/** The files of this portfolio whose lines an errors file corrects, by the part of their digest that it names. */
async function originsOf(opened: Opened, portfolio: string): Promise<Set<string>> {
  const mendedLine = mendedLineOf(opened.header);
  const files = new Set<string>();
  for await (const batch of opened.plainLines()) {
    for (const { cells } of batch) {
      const from = mendedLine(cells);
      if (from?.portfolio === portfolio) files.add(from.file);
    }
  }
  return files;
}

function unlessGone(error: unknown): undefined {
  if (!isLimitlineError(error, 'NOT_FOUND', 'FILE')) throw error;
}
