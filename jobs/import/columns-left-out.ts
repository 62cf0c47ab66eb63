import { stat } from 'node:fs/promises';
import { sha256Of } from '../../src/files/disk.ts';
import type { ImportedFile, KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { type Column, placeOf } from '../../src/portfolio/columns/column.ts';
import type { KnownColumn } from '../../src/portfolio/columns/known-columns.ts';
import { isErrorsHeader } from '../../src/portfolio/columns/result-columns.ts';
import { type Opened, refusedWhole } from '../../src/portfolio/open-portfolio.ts';
import { makeProblem, type Problem, visible, WHOLE_FILE } from '../../src/portfolio/problem.ts';
import { type ReadOptions, readOptionsSchema } from '../../src/portfolio/read-options.ts';
import type { RowLine } from './decide-line.ts';
import { type ErrorsFileDeps, errorsFileColumns } from './errors-file-columns.ts';
import { readingTextOf } from './open-import.ts';

/** A file that follows others of its portfolio. `open` opens it once more. */
type Following = { portfolio: string; reading: ReadOptions; path: string; opened: Opened; open: () => Promise<Opened> };

type LeftOutDeps = ErrorsFileDeps & { portfolios: Pick<Portfolios, 'read' | 'allImports' | 'names'> };

/**
 * Compares the columns of a file with those of the portfolio's last ones (lastFiles). A file is refused as a whole, before any line is put, if
 * it lacks the columns by which requests that were sent are known again, or has nothing in them: its lines would be requested in addition. A
 * warning tells of a mapping that this file is read without, of columns that an errors file lost, or that its portfolio is new and another one
 * has nearly its name.
 */
export async function columnsLeftOut(
  { opened, ...following }: Following,
  { portfolios, imports }: LeftOutDeps,
): Promise<{ opened: Opened; warnings: Problem[] }> {
  const { portfolio, reading } = following;
  const { file, calls, states } = await portfolios.read(portfolio);
  if (!file) return { opened, warnings: nearlyNamed(portfolio, await portfolios.names()) };
  const lost = await errorsFileColumns({ opened, ...following }, { portfolios, imports });
  const mapping = [...mappingLeftOut(opened.columns, file), ...lost];
  // Limits that a results file put back into a lost ledger were called for by no row of the portfolio.
  const isSent = calls.limit > 0 || states.skipped > 0 || states.done > 0;
  if (!isSent || opened.problems.length > 0 || isErrorsHeader(opened.header)) return { opened, warnings: mapping };
  const given = knownColumns(opened.columns, reading);
  const files = lastFiles(await portfolios.allImports(portfolio));
  for (const [place, { fileName, columns: theirs = '' }] of files.entries()) {
    const had = new Set(theirs.split(' '));
    const absent = lackingOf(had, given);
    const lacking = absent.length > 0 ? absent : await emptyOf(had, following);
    if (lacking.length === 0) continue;
    if (place > 0 && (await isAgain(files[0], opened, following))) break;
    const [columns, its] = lacking.length === 1 ? ['column', 'its'] : ['columns', 'their'];
    const now = absent.length > 0 ? 'this one has not' : `in this one all ${its} cells are empty`;
    const which = place === 0 ? 'The last file' : 'An earlier file';
    const before = `${which} of this portfolio, ${visible(fileName)}, had the ${columns} ${lacking.join(', ')}, and ${now}.`;
    const words = `${before} ${remedyWords(lacking, absent.length > 0 ? 'Add' : 'Fill')}`;
    const refused = await refusedWhole(opened, [makeProblem(WHOLE_FILE, null, null, words)]);
    return { opened: refused, warnings: mapping };
  }
  return { opened, warnings: mapping };
}

/**
 * The portfolio's files with which a new file is compared, the last one first, each with its telling columns. The list ends with the first
 * file of more than {@link FEW} lines. A shorter file may be an addition, whose columns say nothing of the requests that earlier files brought.
 */
function lastFiles(imports: readonly KnownImport[]): KnownImport[] {
  const found = new Map<string, KnownImport>();
  for (const one of imports.toSorted((before, after) => after.lastMs - before.lastMs)) {
    const columns = tellingColumnsOf(one);
    if (columns === undefined) continue;
    if (!found.has(columns)) found.set(columns, { ...one, columns });
    if ((one.found?.lines ?? Number.POSITIVE_INFINITY) > FEW) break;
  }
  return [...found.values()];
}

/** Whether the file is the last one itself, which comes again or goes on: its lines have their requests from then. */
async function isAgain(
  last: KnownImport | undefined,
  opened: Opened,
  { path, reading }: Pick<Following, 'path' | 'reading'>,
): Promise<boolean> {
  if (last?.reading !== readingTextOf(reading, opened) || !(await stat(path)).isFile()) return false;
  return last.id === (await sha256Of(path));
}

/** The columns without which lines of a file do not say what those of one before said: its references, or all that told its buyers apart. */
function lackingOf(then: ReadonlySet<string>, now: ReadonlySet<string>): string[] {
  if (then.has(REQUEST) && !now.has(REQUEST)) return [REQUEST];
  const identifiers = IDENTIFIERS.filter((columns) => columns.every((column) => then.has(column)));
  const areTold = identifiers.some((columns) => columns.every((column) => now.has(column)));
  return areTold ? [] : identifiers.flat().filter((column) => !now.has(column));
}

/**
 * The columns that a file lacks because all their cells are empty; none of a file of {@link FEW} lines, which may be an addition. Reads on
 * until a line has them, mostly the first. A pipe, which can be read only once, is not looked at.
 */
async function emptyOf(
  then: ReadonlySet<string>,
  { path, reading, open }: Pick<Following, 'path' | 'reading' | 'open'>,
): Promise<string[]> {
  const filled = knownColumns([], reading);
  if (lackingOf(then, filled).length === 0 || !(await stat(path)).isFile()) return [];
  const again = await open();
  let lines = 0;
  try {
    for await (const batch of again.plainLines()) {
      lines += batch.length;
      for (const { cells } of batch) {
        for (const [at, { known }] of again.columns.entries()) if (known && cells[at]?.trim()) filled.add(known);
      }
      if (lackingOf(then, filled).length === 0) return [];
    }
    return lines > FEW ? lackingOf(then, filled) : [];
  } finally {
    await again.close();
  }
}

/** So many lines may be added to a portfolio without what others have. */
const FEW = 9;

/** The telling columns of an import. Those of its header count until it was read to its end; undefined of an errors file, and of one without rows. */
export function tellingColumnsOf(known: KnownImport | undefined): string | undefined {
  return known?.found ? known.found.columns : known?.columns;
}

/** The known columns of a file, those with one value for all lines included. */
function knownColumns(columns: readonly Pick<Column, 'known'>[], { mapping }: ReadOptions): Set<string> {
  return new Set([...columns.flatMap(({ known }) => known ?? []), ...Object.keys(mapping?.constants ?? {})]);
}

/**
 * Finds the columns of a file that say which buyer or request a line means; their names have spaces between. `ofHeader`: those that the header
 * has. `filled`: those of them that rows fill, once `add` has had each; undefined without rows, which tell nothing. request_reference is
 * one only if most rows have it: a short list of corrected lines may leave out what few lines have. An identifier that few rows have is one
 * only if none is in most rows: the other rows are not told by it.
 */
export function makeTellingColumns(columns: readonly Column[], reading: ReadOptions) {
  const known = knownColumns(columns, reading);
  const telling = ([REQUEST, ...IDENTIFIERS.flat()] as const).filter((column) => known.has(column));
  const counts = telling.map((column) => ({ column, at: placeOf(columns, column), rows: 0 }));
  let rows = 0;
  return {
    ofHeader: telling.join(' '),
    add({ cells, row: { reference } }: RowLine): void {
      rows += 1;
      for (const one of counts) {
        const isFilled = one.column === REQUEST ? reference !== undefined : (cells[one.at] ?? CONSTANT).trim() !== '';
        if (isFilled) one.rows += 1;
      }
    },
    filled(): string | undefined {
      if (rows === 0) return undefined;
      const inMost = new Set(counts.filter((one) => one.rows > rows / 2).map(({ column }) => column));
      const areMostTold = IDENTIFIERS.some((columns) => columns.every((column) => inMost.has(column)));
      const found = counts.filter(
        (one) => inMost.has(one.column) || (one.column !== REQUEST && !areMostTold && one.rows > 0),
      );
      return found.map(({ column }) => column).join(' ');
    },
  };
}

/** Stands for the cell of a column that has one value for all lines, and no place in the file. */
const CONSTANT = 'constant';

const REQUEST = 'request_reference' satisfies KnownColumn;

/**
 * The columns that tell buyers of one name apart, by identifier. Without any of them, each known buyer counts as a new one. A registration
 * number identifies nobody without a country, which does so by itself.
 */
const IDENTIFIERS: readonly KnownColumn[][] = [
  ['country_code'],
  ['business_information_source', 'business_information_id'],
  ['buyer_reference'],
];

function remedyWords([first, ...others]: readonly string[], act: 'Add' | 'Fill'): string {
  const [them, are] = others.length === 0 ? ['it', 'it is'] : ['them', 'they are'];
  return `Without ${them}, limits that were requested would be requested a second time. ${act} ${them}, or say which of this file's columns ${are} (--map "COLUMN=${first}"); or, if other requests are meant, import the file into another portfolio.`;
}

/** The warning that a portfolio is a new one beside another whose name differs from its own by case or spaces alone. */
function nearlyNamed(portfolio: string, names: readonly string[]): Problem[] {
  const plain = (name: string) => name.normalize('NFKC').toLowerCase().replaceAll(/\s/g, '');
  const other = names.find((name) => name !== portfolio && plain(name) === plain(portfolio));
  if (other === undefined || names.includes(portfolio)) return [];
  const message = `Portfolio "${visible(portfolio)}" is a new one, and there is "${visible(other)}". If the file belongs to that one, say --portfolio "${visible(other)}".`;
  return [makeProblem(WHOLE_FILE, null, null, message)];
}

/** The most columns that the warning names; a mapping may have hundreds. */
const NAMED = 5;

/** The warning about columns that a mapping gave a meaning in the portfolio's last file, and that have another meaning or none in this file. */
function mappingLeftOut(columns: readonly Column[], file: ImportedFile | undefined): Problem[] {
  const then = readOptionsSchema.safeParse(JSON.parse(file?.reading || '{}')).data?.mapping?.columns ?? {};
  const left = columns.flatMap(({ written, known, extra }) => {
    const meant = then[written] ?? null;
    return meant === null || meant === (extra ?? known) ? [] : [`--map "${visible(written)}=${meant}"`];
  });
  if (left.length === 0) return [];
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : '';
  const message = `The last file of this portfolio, ${visible(file?.fileName ?? '')}, was read with ${left.slice(0, NAMED).join(' ')}${more}, and this one is not. If that was forgotten, read it in the same way: otherwise lines that were requested count as changed.`;
  return [makeProblem(WHOLE_FILE, null, null, message)];
}
