import type { DocumentStore } from '../../src/documents/store.ts';
import { isLimitlineError } from '../../src/errors.ts';
import type { ChangedByHand, UnderstoodFile } from '../../src/ledger/approvals/approval-look.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import { readOnlyColumns } from '../../src/portfolio/columns/column.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import type { MendedCell, PortfolioDraft } from '../../src/portfolio/portfolio-draft.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { type ReadOptions, readOptionsSchema } from '../../src/portfolio/read-options.ts';
import { openImported } from '../rows/import-names.ts';

/** How long, in ms, the lines of a file are searched for warnings: enough for some 50,000. */
const WARNINGS_MS = 1_000;

/**
 * How long an approval's page may read the file, in ms: enough for a workbook of many megabytes. After that, the page is shown without how
 * the file was read.
 */
const OPEN_MS = 5_000;

/** The most groups of equal warnings that are shown. */
const MOST_WARNINGS = 20;

/** The most files whose results are cached for further views. A file's copy never changes. */
const MOST_KEPT = 20;

/**
 * Makes a function that tells how an import's file was understood, from its copy and the import's read options. Answers nothing
 * where the copy is not in this data folder.
 *
 * @param uploads reads the uploads that are still kept, which have what people changed in them by hand
 */
export function makeUnderstandFile(
  { imports }: { imports: DocumentStore },
  uploads: () => Promise<readonly PortfolioDraft[]> = async () => [],
) {
  const kept = new Map<string, Read>();

  return async (known: KnownImport): Promise<UnderstoodFile | undefined> => {
    const content = `${known.id}\n${known.reading}`;
    const read = kept.get(content) ?? (await readFile(known, { imports, signal: AbortSignal.timeout(OPEN_MS) }));
    if (!read) return undefined;
    kept.delete(content);
    kept.set(content, read);
    for (const [oldest] of kept) {
      if (kept.size <= MOST_KEPT) break;
      kept.delete(oldest);
    }
    const { number, fileName: name, by, found, made } = known;
    const changes = made && changedByHand(known, read.columns, await uploads());
    return { number, name, by, found, made, changes, ...read };
  };
}

export type UnderstandFile = ReturnType<typeof makeUnderstandFile>;

type Read = Pick<
  UnderstoodFile,
  'columns' | 'readOnly' | 'reading' | 'fileWarnings' | 'warnings' | 'lookedThrough' | 'isWhole'
>;

async function readFile(
  known: KnownImport,
  { imports, signal }: { imports: DocumentStore; signal: AbortSignal },
): Promise<Read | undefined> {
  try {
    const opened = await openImported(known, { imports, signal });
    const said = readOptionsSchema.parse(JSON.parse(known.reading));
    const columns = opened.columns
      .filter(({ written }) => written !== '')
      .map(({ written, known: meaning }) => ({ written: visible(written), known: meaning ?? undefined }));
    const ofLines = await readWarnings(opened);
    // Some warnings about the file are known only after its lines.
    const fileWarnings = opened.warnings.map(({ column, message }) => ({ column, message }));
    const readOnly = readOnlyColumns(opened.columns).map(visible);
    return { columns, readOnly, reading: readingWords(opened, said), fileWarnings, ...ofLines };
  } catch (error) {
    if (isLimitlineError(error, 'FILE', 'NOT_FOUND', 'STOPPED')) return undefined;
    throw error;
  }
}

/** Groups warnings by their text without the value. */
async function readWarnings(opened: Opened): Promise<Pick<Read, 'warnings' | 'lookedThrough' | 'isWhole'>> {
  const found = new Map<string, { words: string; lines: number; first: number }>();
  const untilMs = performance.now() + WARNINGS_MS;
  let [lookedThrough, isWhole] = [0, true];
  for await (const batch of opened.batches()) {
    for (const line of batch) {
      lookedThrough += 1;
      if (line.kind !== 'row') continue;
      for (const { message } of line.warnings) {
        const known = found.get(message) ?? { words: message, lines: 0, first: line.line };
        known.lines += 1;
        if (found.size < MOST_DIFFERENT) found.set(message, known);
      }
    }
    if (performance.now() > untilMs) {
      isWhole = false;
      break;
    }
  }
  const warnings = [...found.values()].sort((one, other) => other.lines - one.lines).slice(0, MOST_WARNINGS);
  return { warnings, lookedThrough, isWhole };
}

/** The most different warnings that are counted: a warning that quotes its line differs on each line. */
const MOST_DIFFERENT = 1_000;

const DELIMITERS: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'pipes' };

function readingWords({ dialect, headerLine, columns }: Opened, said: ReadOptions): string[] {
  const { mapping, decimal, dates, hiddenRows, sameBuyer } = said;
  const constants = Object.entries(mapping?.constants ?? {});
  return [
    ...(dialect.sheet === undefined
      ? [dialect.encoding.toUpperCase(), `separated by ${DELIMITERS[dialect.delimiter] ?? dialect.delimiter}`]
      : [`sheet "${visible(dialect.sheet)}"`]),
    ...(headerLine === null ? [] : [`header in line ${headerLine}`]),
    ...(decimal === undefined ? [] : [`decimals after a ${decimal === '.' ? 'point' : 'comma'}`]),
    ...(dates === undefined ? [] : [dates === 'dmy' ? 'day before month' : 'month before day']),
    ...(hiddenRows ? ['hidden rows too'] : []),
    ...columns.filter(({ extra }) => extra).map(({ written, extra }) => `${visible(written)} sent as ${extra}`),
    ...constants.map(([column, value]) => `${column} on every line: ${visible(String(value))}`),
    ...(sameBuyer && sameBuyer.length > 0
      ? [`lines that a person said are of the buyer that their numbers name: ${sameBuyer.slice(0, 20).join(', ')}`]
      : []),
  ];
}

/**
 * The values that people changed by hand in uploads before this import, and the lines that they left out. Undefined where nobody changed
 * any, or the uploads were removed since. Several uploads may have become the same file, one may have been it from the start, and one may
 * have been changed and submitted again since.
 */
export function changedByHand(
  { id, made }: KnownImport,
  columns: UnderstoodFile['columns'],
  drafts: readonly PortfolioDraft[],
): ChangedByHand | undefined {
  if (made === undefined) return undefined;
  const meanings = new Map(columns.map(({ written, known }) => [written, known ?? null]));
  const changed = drafts.flatMap(({ versions }) => {
    const imported = versions.findLast(({ sha256 }) => sha256 === id);
    if (!imported) return [];
    const { leftOut, number } = imported;
    const cells = cellsUntil(number, versions).filter(({ line }) => !leftOut.includes(line));
    return leftOut.length + cells.length > 0 ? [{ leftOut, cells }] : [];
  });
  if (changed.length === 0) return undefined;
  const leftOut = [...new Set(changed.flatMap((one) => one.leftOut))];
  const cells = [...new Map(changed.flatMap((one) => one.cells).map((cell) => [JSON.stringify(cell), cell])).values()];
  return {
    leftOut,
    values: cells.map(({ line, column, before, after }) => {
      const of = { column: column && visible(column), meaning: meanings.get(visible(column ?? '')) ?? null };
      return { line, before: { ...of, cell: before }, now: { ...of, cell: after } };
    }),
  };
}

/** The cells by which a version differs from the upload, by line. Of a cell that was changed twice, the first text and the last one count. */
function cellsUntil(number: number, versions: PortfolioDraft['versions']): MendedCell[] {
  const version = versions.find((one) => one.number === number);
  if (version === undefined || number === 1) return [];
  if (version.backTo !== undefined) return cellsUntil(version.backTo, versions);
  const cells = new Map(cellsUntil(number - 1, versions).map((cell) => [placeOf(cell), cell]));
  for (const cell of version.cells) {
    const before = cells.get(placeOf(cell))?.before ?? cell.before;
    cells.set(placeOf(cell), { ...cell, before });
  }
  return [...cells.values()]
    .filter(({ before, after }) => before !== after)
    .sort((one, other) => one.line - other.line);
}

const placeOf = ({ line, column }: MendedCell): string => `${line}\n${column ?? ''}`;
