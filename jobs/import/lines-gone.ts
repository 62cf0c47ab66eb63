import { basename } from 'node:path';
import { counted } from '../../src/counted.ts';
import { isLimitlineError } from '../../src/errors.ts';
import type { ImportedFile } from '../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { isErrorsHeader, mendedLineOf, mendedRowOf, shortDigest } from '../../src/portfolio/columns/result-columns.ts';
import { digestOf, makeKeySet } from '../../src/portfolio/identity/digest.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { readOptionsSchema } from '../../src/portfolio/read-options.ts';
import { openImported } from '../rows/import-names.ts';
import { type FileToImport, type OpenDeps, type OpenedImport, readingTextOf } from './open-import.ts';

/**
 * Counts the lines without a row of the portfolio's last import that reports and results will no longer name after this import. For an
 * errors file of the last import these are the lines that it lacks. For a file of the same name they are the lines that it neither has nor
 * corrects, for any other file all of them. `gone` is 0 if the same file comes again and is read as before, or an errors file of another
 * import. `unknownOrigin`: lines of an errors file that do not say which line they were, so they may be some of these.
 */
export async function countGone(
  { portfolio, path, reading }: Pick<FileToImport, 'portfolio' | 'path' | 'reading'>,
  { importId, opened, openAhead }: OpenedImport,
  deps: OpenDeps & { portfolios: Pick<Portfolios, 'read' | 'faultyBeside'> },
): Promise<{ gone: number; unknownOrigin: number }> {
  const { portfolios, retryUntilAnswered } = deps;
  const { file } = await retryUntilAnswered('look', () => portfolios.read(portfolio));
  const own = { id: importId, fileName: basename(path), reading: readingTextOf(reading, opened) };
  if (!file || (file.id === importId && file.reading === own.reading)) return { gone: 0, unknownOrigin: 0 };
  const countBeside = (lines: readonly number[]) =>
    retryUntilAnswered('look', () => portfolios.faultyBeside(portfolio, lines));
  if (!isErrorsHeader(opened.header)) {
    const gone = await countBeside([]);
    if (gone === 0 || file.fileName !== own.fileName) return { gone, unknownOrigin: 0 };
    const open = (known: ImportedFile) => openImported(known, { imports: deps.imports, signal: deps.stopping });
    // Where a copy cannot be read, no line counts as corrected.
    const covered = await linesAgain(file, own, open).catch((error) => {
      if (!isLimitlineError(error, 'FILE', 'NOT_FOUND')) throw error;
      return [];
    });
    return { gone: await countBeside(covered), unknownOrigin: 0 };
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
  return {
    gone: named.size === 0 ? 0 : Math.max(0, beside - unknownOrigin),
    unknownOrigin: beside === 0 ? 0 : unknownOrigin,
  };
}

/** Sentences about lines of the file before that report and results no longer name, or may no longer name. */
export function goneWords({
  gone,
  unknownOrigin,
  isPart,
}: {
  gone: number;
  unknownOrigin: number;
  isPart: boolean;
}): string[] {
  const words: string[] = [];
  if (gone > 0) {
    const [are, them] = gone === 1 ? ['is', 'it'] : ['are', 'them'];
    const missing = isPart ? ` and ${are} not in this errors file` : '';
    words.push(
      `${counted(gone, 'line')} of the file imported before this one led to no row${missing}: report and results no longer name ${them}.`,
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

/** Opens the stored copy of an import. @throws LimitlineError `FILE`, `NOT_FOUND` */
export type OpenImport = (known: ImportedFile) => Promise<Opened>;

/**
 * Lines of an import that a later file of the same name has: with the same cells, so that they are told with that file, or on the same
 * line with other text in the faulty cells alone, which corrects them. A later file without them corrects nothing: files of each day may
 * have one name. Another sheet, other columns and an errors file, of which each round has other lines, correct nothing either.
 *
 * @throws LimitlineError `FILE`, `NOT_FOUND` where a copy cannot be read
 */
export async function linesAgain(known: ImportedFile, later: ImportedFile, open: OpenImport): Promise<number[]> {
  if (placeOf(known) !== placeOf(later)) return [];
  const faulty = await open(known);
  if (faulty.problems.length > 0 || isErrorsHeader(faulty.header)) {
    await faulty.close();
    return [];
  }
  const columns = faulty.header;
  const faultyCells = new Map<number, string[]>();
  for await (const batch of faulty.batches()) {
    for (const line of batch) {
      const named = line.kind === 'row' ? [] : line.problems.flatMap(({ column }) => column ?? []);
      if (named.length > 0) faultyCells.set(line.line, named);
    }
  }
  const keysOf = (line: number, cells: readonly string[]): string[] => {
    const rest = faultyCells.get(line);
    const others = rest && cells.map((cell, at) => (rest.includes(columns[at] ?? '') ? '' : cell));
    return [JSON.stringify(cells), ...(others ? [`${line} ${JSON.stringify(others)}`] : [])].map(digestOf);
  };
  const there = makeKeySet();
  const again = await open(later);
  const isAlike = JSON.stringify(again.header) === JSON.stringify(columns);
  if (!isAlike || again.problems.length > 0) {
    await again.close();
    return [];
  }
  for await (const batch of again.plainLines())
    for (const { line, cells } of batch) for (const key of keysOf(line, cells)) there.add(key);
  const found: number[] = [];
  for await (const batch of (await open(known)).plainLines())
    for (const { line, cells } of batch) if (keysOf(line, cells).some((key) => there.has(key))) found.push(line);
  return found;
}

/** Where and how an import found its lines: a line of another sheet, or of other columns, is another line. */
function placeOf({ reading }: ImportedFile): string {
  const { sheet, mapping } = readOptionsSchema.parse(JSON.parse(reading));
  return JSON.stringify([sheet, mapping]);
}
