import { basename } from 'node:path';
import { counted } from '../../src/counted.ts';
import { isLimitlineError } from '../../src/errors.ts';
import type { ImportedFile } from '../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { isErrorsHeader, mendedLineOf, mendedRowOf, shortDigest } from '../../src/portfolio/columns/result-columns.ts';
import { openImported } from '../rows/import-names.ts';
import { makeLinesAgain } from './lines-again.ts';
import { type FileToImport, type OpenDeps, type OpenedImport, readingTextOf } from './open-import.ts';

/**
 * Counts the lines without a row of the portfolio's last import that reports and results will no longer name after this import. For an
 * errors file of the last import these are the lines that it lacks, for another file those that it neither has nor corrects. `gone` is 0 if
 * the same file comes again and is read as before, or an errors file of another import. `goneFile`: the name of the file with these lines,
 * unless this file has the same. `unknownOrigin`: lines of an errors file that do not say which line they were, so they may be some of these.
 */
export async function countGone(
  { portfolio, path, reading }: Pick<FileToImport, 'portfolio' | 'path' | 'reading'>,
  { importId, opened, openAhead }: OpenedImport,
  deps: OpenDeps & { portfolios: Pick<Portfolios, 'read' | 'faultyBeside' | 'allImports'> },
): Promise<{ gone: number; goneFile?: string; unknownOrigin: number }> {
  const { portfolios, retryUntilAnswered } = deps;
  const { file } = await retryUntilAnswered('look', () => portfolios.read(portfolio));
  const own = { id: importId, fileName: basename(path), reading: readingTextOf(reading, opened) };
  if (!file || (file.id === importId && file.reading === own.reading)) return { gone: 0, unknownOrigin: 0 };
  const goneFile = file.fileName !== own.fileName && { goneFile: file.fileName };
  const countBeside = (lines: readonly number[]) =>
    retryUntilAnswered('look', () => portfolios.faultyBeside(portfolio, lines));
  if (!isErrorsHeader(opened.header)) {
    const gone = await countBeside([]);
    if (gone === 0) return { gone, unknownOrigin: 0 };
    const open = (known: ImportedFile) => openImported(known, { imports: deps.imports, signal: deps.stopping });
    const linesAgain = makeLinesAgain(file, open);
    const imports = await retryUntilAnswered('look', () => portfolios.allImports(portfolio));
    const placeOf = ({ id, reading }: Pick<ImportedFile, 'id' | 'reading'>) =>
      imports.findIndex((one) => one.id === id && one.reading === reading);
    const cameBefore = placeOf(own) >= 0 && placeOf(own) < placeOf(file);
    // Where a copy cannot be read, no line counts as corrected.
    const covered = await linesAgain({ ...own, cameBefore }).catch((error) => {
      if (!isLimitlineError(error, 'FILE', 'NOT_FOUND')) throw error;
      return [];
    });
    const left = await countBeside(covered);
    return { gone: left, ...(left > 0 && goneFile), unknownOrigin: 0 };
  }
  const named = new Set<number>();
  const errors = await openAhead();
  const [mendedLine, mendedRow] = [mendedLineOf(errors.header), mendedRowOf(errors.header)];
  let unknownOrigin = 0;
  for await (const batch of errors.plainLines()) {
    for (const { cells } of batch) {
      const from = mendedLine(cells);
      // A line that names its row is none of those without a row.
      if (!from && mendedRow(cells) === '') unknownOrigin += 1;
      if (from?.portfolio === portfolio && from.file === shortDigest(file.id)) named.add(from.line);
    }
  }
  const beside = named.size + unknownOrigin === 0 ? 0 : await countBeside([...named]);
  const gone = named.size === 0 ? 0 : Math.max(0, beside - unknownOrigin);
  return { gone, ...(gone > 0 && goneFile), unknownOrigin: beside === 0 ? 0 : unknownOrigin };
}

/**
 * The command, without `limitline`, that shows the faulty lines of a file that was imported before. The word FILE stands for its name where
 * the name is not known, as of standard input, or means a newer file by now, or could not stand in quotes in every shell.
 */
export function checkCommand(portfolio: string, fileName = ''): string {
  return `check ${PLAIN_NAME.test(fileName) ? `"${fileName}"` : 'FILE'} --portfolio "${portfolio}"`;
}

/** A name with an ending, without characters that shells read in quotes. */
const PLAIN_NAME = /^[\p{L}\p{N}_(][\p{L}\p{M}\p{N}_ .,()+=@-]*\.\w+$/u;

/** Sentences about lines of the file before that report and results no longer name, or may no longer name. */
export function goneWords(
  {
    gone,
    goneFile,
    unknownOrigin,
    isPart,
  }: Record<'gone' | 'unknownOrigin', number> & { goneFile?: string; isPart: boolean },
  portfolio: string,
): string[] {
  const words: string[] = [];
  if (gone > 0) {
    const [are, them] = gone === 1 ? ['is', 'it'] : ['are', 'them'];
    const missing = isPart ? ` and ${are} not in this errors file` : '';
    words.push(
      `${counted(gone, 'line')} of the file imported before this one led to no row${missing}: report and results no longer name ${them}. To see ${them}, check that file again: npx limitline ${checkCommand(portfolio, goneFile)}.`,
    );
  }
  if (unknownOrigin > 0) {
    const say = unknownOrigin === 1 ? 'does not say which line it was' : 'do not say which lines they were';
    words.push(
      `${counted(unknownOrigin, 'line')} of this errors file ${say}: the cell limitline_from is empty or missing. So it is not known whether report and results still name all lines of the file imported before this one that led to no row.`,
    );
  }
  return words;
}
