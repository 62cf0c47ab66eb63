import { basename } from 'node:path';
import { counted } from '../../src/counted.ts';
import { isLimitlineError } from '../../src/errors.ts';
import type { ImportedFile, KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { isUnsent } from '../../src/ledger/portfolios/replacing.ts';
import type { BuyerRow } from '../../src/ledger/rows/buyer-rows.ts';
import {
  earlierProblemOf,
  isErrorsHeader,
  type LineOfFile,
  mendedLineOf,
  mendedRowOf,
  shortDigest,
} from '../../src/portfolio/columns/result-columns.ts';
import { type Copies, makeFileNames, makeImportLists, makeImportLook, openImported } from '../rows/import-names.ts';
import { tellingColumnsOf } from './columns-left-out.ts';
import { makeLinesAgain } from './lines-again.ts';
import { type FileToImport, type OpenDeps, type OpenedImport, readingTextOf } from './open-import.ts';

type OtherFilesDeps = { portfolios: Pick<Portfolios, 'allImports'>; imports: Copies; signal?: AbortSignal };

/** What is known of the files of other rows, and what the lines of an errors file say of those that they correct. Other files say nothing. */
export function makeOtherFiles(header: readonly string[], deps: OtherFilesDeps) {
  const [importsOf, originsIn] = [makeImportLists(deps), makeOrigins(deps)];
  const [importOf, mendedLine] = [makeImportLook(deps, importsOf), mendedLineOf(header)];
  /** The line that this line of an errors file comes from, the buyer's requests that were sent in its portfolio, and its imports; without any, nothing. */
  const sentOf = async (cells: readonly string[], rows: readonly BuyerRow[]) => {
    const from = mendedLine(cells);
    const sent = rows.filter((one) => one.row.portfolio === from?.portfolio && !isUnsent(one));
    return from && sent.length > 0 ? { from, sent, imports: await importsOf(from.portfolio) } : undefined;
  };
  return {
    mendedRow: mendedRowOf(header),
    earlierProblem: earlierProblemOf(header),
    /**
     * Whether another line of the file that this line comes from led to the row, by itself or in another errors file. Then this line does not
     * correct it.
     */
    async isOfOtherLine(cells: readonly string[], { row, line, importId }: BuyerRow): Promise<boolean> {
      const from = mendedLine(cells);
      const known = from?.portfolio === row.portfolio ? await importOf(row, importId) : undefined;
      if (!from || !known) return false;
      if (shortDigest(known.id) === from.file) return line !== from.line;
      const origin = (await originsIn(known)).get(line);
      return origin?.file === from.file && origin.line !== from.line;
    },
    /**
     * A request that was sent for a later import of the file that this line comes from, by itself or by way of other errors files: there, the
     * line was mended as well. An errors file that has the name of that file does not count.
     */
    async sentSince(cells: readonly string[], rows: readonly BuyerRow[]): Promise<BuyerRow | undefined> {
      const found = await sentOf(cells, rows);
      if (!found) return undefined;
      const { from, sent, imports } = found;
      const before = (await linesBefore(from, { imports, originsIn })).map(({ found: known }) => known);
      const [last] = before;
      const isLater = (one: KnownImport) =>
        last !== undefined &&
        one.number > last.number &&
        tellingColumnsOf(one) !== undefined &&
        before.some(({ fileName }) => fileName === one.fileName);
      return sent.find(({ importId }) => imports.some((one) => String(one.number) === importId && isLater(one)));
    },
    /** A request that was sent for the very line that this line of an errors file comes from, which was mended and imported before. */
    async sentBefore(cells: readonly string[], rows: readonly BuyerRow[]): Promise<BuyerRow | undefined> {
      const found = await sentOf(cells, rows);
      if (!found) return undefined;
      const { from, sent, imports } = found;
      const names = async (line: LineOfFile) =>
        (await linesBefore(line, { imports, originsIn })).map(({ found: one, line: at }) => `${one.id} ${at}`);
      const own = new Set(await names(from));
      for (const one of sent) {
        const known = imports.find(({ number }) => String(number) === one.importId);
        const its = known ? await names({ ...from, file: shortDigest(known.id), line: one.line }) : [];
        if (its.some((name) => own.has(name))) return one;
      }
      return undefined;
    },
    fileOf: makeFileNames(deps),
    /** The currency in which a row was requested: what its file or an earlier one named. Undefined if none did, or it is not known. */
    async currencyOf({ row, importId }: BuyerRow): Promise<string | undefined> {
      const known = await importOf(row, importId);
      return known?.found?.sentIn ?? known?.found?.currency ?? known?.sentIn;
    },
  };
}

/** The history of a line of an errors file: the line itself, then the line that it corrects, and so on back to the first file. */
async function linesBefore(
  { file, line }: LineOfFile,
  known: { imports: readonly KnownImport[]; originsIn: (file: KnownImport) => Promise<Origins> },
  rounds = 1,
): Promise<{ found: KnownImport; line: number }[]> {
  const found = known.imports.findLast(({ id }) => shortDigest(id) === file);
  const next = found && rounds < MOST_ROUNDS ? (await known.originsIn(found)).get(line) : undefined;
  return [...(found ? [{ found, line }] : []), ...(next ? await linesBefore(next, known, rounds + 1) : [])];
}

/** The most rounds of errors files that are followed. People need a few. */
const MOST_ROUNDS = 100;

type Origins = ReadonlyMap<number, LineOfFile>;

/** Tells of each line of an errors file that was imported which line it comes from; nothing of other files, and of files that are gone. */
function makeOrigins(deps: OtherFilesDeps): (known: KnownImport) => Promise<Origins> {
  const read = new Map<number, Promise<Origins>>();
  return (known) => {
    const origins = read.get(known.number) ?? originsOf(known, deps);
    read.set(known.number, origins);
    return origins;
  };
}

async function originsOf(known: KnownImport, deps: OtherFilesDeps): Promise<Origins> {
  const origins = new Map<number, LineOfFile>();
  const opened = await openImported(known, deps).catch((error) => {
    if (!isLimitlineError(error, 'NOT_FOUND')) throw error;
  });
  if (!opened) return origins;
  try {
    if (!isErrorsHeader(opened.header)) return origins;
    const mendedLine = mendedLineOf(opened.header);
    for await (const batch of opened.plainLines()) {
      for (const { line, cells } of batch) {
        const from = mendedLine(cells);
        if (from) origins.set(line, from);
      }
    }
    return origins;
  } finally {
    await opened.close();
  }
}

/**
 * Counts the lines without a row of the portfolio's last import that reports and results will no longer name after this import. For an
 * errors file these are the lines that it does not name, for another file those that it neither has nor corrects. `gone` is 0 if
 * the same file comes again and is read as before. `goneFile`: the name of the file with these lines,
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
  const named = new Set<string>();
  const errors = await openAhead();
  const [mendedLine, mendedRow] = [mendedLineOf(errors.header), mendedRowOf(errors.header)];
  let unknownOrigin = 0;
  for await (const batch of errors.plainLines()) {
    for (const { cells } of batch) {
      const from = mendedLine(cells);
      // A line that names its row is none of those without a row.
      if (!from && mendedRow(cells) === '') unknownOrigin += 1;
      if (from?.portfolio === portfolio) named.add(`${from.file} ${from.line}`);
    }
  }
  const beside = await countBeside(await linesNamed({ portfolio, file, named }, deps));
  const gone = Math.max(0, beside - unknownOrigin);
  return { gone, ...(gone > 0 && goneFile), unknownOrigin: beside === 0 ? 0 : unknownOrigin };
}

/** The lines of the portfolio's last file that an errors file names, as `file line`: themselves, or lines from which they come by way of others. */
async function linesNamed(
  { portfolio, file, named }: { portfolio: string; file: ImportedFile; named: ReadonlySet<string> },
  deps: OpenDeps & { portfolios: Pick<Portfolios, 'allImports'> },
): Promise<number[]> {
  const last = shortDigest(file.id);
  const own = [...named].flatMap((one) => (one.startsWith(`${last} `) ? [Number(one.slice(last.length + 1))] : []));
  const imports = await deps.retryUntilAnswered('look', () => deps.portfolios.allImports(portfolio));
  const known = imports.find(({ id, reading }) => id === file.id && reading === file.reading);
  if (!known) return own;
  const originsIn = makeOrigins({ ...deps, signal: deps.stopping });
  try {
    for (const [line, origin] of await originsIn(known)) {
      const before = await linesBefore(origin, { imports, originsIn });
      if (before.some((one) => named.has(`${shortDigest(one.found.id)} ${one.line}`))) own.push(line);
    }
  } catch (error) {
    // Where a copy cannot be read, no further line counts as named.
    if (!isLimitlineError(error, 'FILE')) throw error;
  }
  return own;
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
  given: Record<'gone' | 'unknownOrigin', number> & { goneFile?: string; isPart: boolean },
  portfolio: string,
): string[] {
  const { gone, goneFile, unknownOrigin, isPart } = given;
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
