import type { DocumentStore } from '../../src/documents/store.ts';
import { isLimitlineError } from '../../src/errors.ts';
import type { UnderstoodFile } from '../../src/ledger/approvals/approval-look.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { type ReadOptions, readOptionsSchema } from '../../src/portfolio/read-options.ts';
import { openImported } from '../export/open-imported.ts';

/** Enough for some 50,000 lines. The page must not wait longer. */
const LOOK_MS = 1_000;

/** Enough for a workbook of many megabytes. Otherwise, the page lacks how the file was read. */
const OPEN_MS = 5_000;

/** Groups of equal warnings that are shown. */
const MOST_WARNINGS = 20;

/** Files whose result is cached for further views. A file's copy never changes. */
const MOST_KEPT = 20;

export type UnderstandFile = ReturnType<typeof makeUnderstandFile>;

/**
 * Makes a function that tells how an import's file was understood, from its copy and the import's read options. Answers nothing
 * where the copy is not in this data folder.
 */
export function makeUnderstandFile({ imports }: { imports: DocumentStore }) {
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
    return { number: known.number, name: known.fileName, by: known.by, found: known.found, ...read };
  };
}

type Read = Pick<UnderstoodFile, 'columns' | 'reading' | 'fileWarnings' | 'warnings' | 'lookedThrough' | 'isWhole'>;

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
    return { columns, reading: readingWords(opened, said), fileWarnings, ...ofLines };
  } catch (error) {
    if (isLimitlineError(error, 'FILE', 'NOT_FOUND', 'STOPPED')) return undefined;
    throw error;
  }
}

/** Groups warnings by their text without the value. */
async function readWarnings(opened: Opened): Promise<Pick<Read, 'warnings' | 'lookedThrough' | 'isWhole'>> {
  const found = new Map<string, { words: string; lines: number; first: number }>();
  const untilMs = performance.now() + LOOK_MS;
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

/** Different warnings counted at most: a warning that quotes its line differs on each line. */
const MOST_DIFFERENT = 1_000;

const DELIMITERS: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'pipes' };

function readingWords({ dialect, headerLine }: Opened, said: ReadOptions): string[] {
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
    ...constants.map(([column, value]) => `${column} on every line: ${visible(String(value))}`),
    ...(sameBuyer && sameBuyer.length > 0
      ? [`lines that a person said are of the buyer that their numbers name: ${sameBuyer.slice(0, 20).join(', ')}`]
      : []),
  ];
}
