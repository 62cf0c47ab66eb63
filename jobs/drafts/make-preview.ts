import { join } from 'node:path';
import { cutText } from '../../src/cut-text.ts';
import { openDocuments } from '../../src/documents/archive.ts';
import { unnamedDocuments } from '../../src/documents/folder.ts';
import { makeControlSum } from '../../src/portfolio/control-total.ts';
import type { FileRules } from '../../src/portfolio/file-rules.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import { type Opened, type PortfolioFile, tableOf } from '../../src/portfolio/open-portfolio.ts';
import { lastVersion, type PortfolioDraft } from '../../src/portfolio/portfolio-draft.ts';
import type { LineToMend, Preview, PreviewColumn, PreviewRequest } from '../../src/portfolio/preview.ts';
import { type CellChange, visible } from '../../src/portfolio/problem.ts';
import { readSupplier } from '../../src/portfolio/supplier.ts';
import { openTable } from '../../src/table/open-table.ts';
import { nextRecord } from '../../src/table/table.ts';
import { openWorkbook } from '../../src/table/xlsx/workbook.ts';
import { makeDryRun, makeLargest } from '../preview/dry-run.ts';
import { openAsImport } from '../preview/open-as-import.ts';
import type { OutlookDeps } from '../preview/outlook.ts';
import { shownRequests } from '../rows/walk-rows.ts';
import { supplierIn } from './draft-store.ts';
import { makeMendList, PROBLEMS_FILE, WARNINGS_FILE } from './mend-list.ts';

export type PreviewDeps = {
  account: string;
  outlook: OutlookDeps;
  fileRules: FileRules;
  /** Calls per second to be expected; nothing if unknown. */
  knownRate(): Promise<number | undefined>;
};

/** How many requests a preview shows as they would be sent: enough to see how the file is understood. */
const FIRST_REQUESTS = 3;

/** The path of a draft's documents: a ZIP file or a folder. */
export function documentsOf(dir: string, { isArchive }: Pick<PortfolioDraft, 'isArchive'>): string {
  return join(dir, isArchive ? 'documents.zip' : 'documents');
}

/** The path of a draft's last version, and the name by which faults call the file. */
export function fileOf(dir: string, draft: Pick<PortfolioDraft, 'versions' | 'name'>) {
  return { path: join(dir, `v${lastVersion(draft).number}`), givenPath: draft.name };
}

/**
 * Reads the last version of a draft as an import into its portfolio would, and reports the result. Writes only to the draft's folder.
 *
 * @param onLines called with the number of lines read so far
 * @throws LimitlineError `FILE`, `STOPPED`; `USAGE` for an unknown encoding
 */
export const makePreview: MakePreview = async (draft, { dir, of, deps, signal, onLines }) => {
  const { reading, portfolio } = draft;
  const file = fileOf(dir, draft);
  const place = await openDocuments(documentsOf(dir, draft), signal);
  try {
    const named = new Set<string>();
    const documents = { dir: place.dir, onNamed: (path: string) => named.add(path) };
    const looking = { ...deps, ledger: deps.outlook, documents, signal };
    const { opened, warnings, outlook } = await openAsImport({ portfolio, reading, ...file }, looking);
    opened.warnings.unshift(...warnings);
    const columns = await columnsWithSamples({ ...reading, ...file, signal }, opened);
    const ratePerS = await deps.knownRate();
    const largest = makeLargest();
    const supplier = draft.supplier ? await readSupplier(supplierIn(dir)) : undefined;
    const first: PreviewRequest[] = [];
    const onWanted = (wanted: readonly Line[]) => {
      largest.add(wanted);
      for (const line of wanted)
        if (line.kind === 'row' && first.length < FIRST_REQUESTS)
          first.push({ line: line.line, ...shownRequests(line.row) });
    };
    const dryRun = makeDryRun({ foresees: outlook.foresees, ratePerS, supplier, onWanted });
    const found = await readThrough(opened, { dir, dryRun, onLines });
    await dryRun.countLacking({ header: opened.header, rows: found.counts.rows }, deps.outlook.rows);
    const sheets = opened.dialect.sheet === undefined ? [] : await sheetNames({ path: file.path, signal });
    return {
      of,
      madeMs: Date.now(),
      ...headOf(opened, columns),
      conventions: await conventionsOf(opened),
      sheets,
      ...found,
      first,
      currency: opened.currency(),
      dryRun: dryRun.result(),
      ratePerS: ratePerS ?? null,
      largest: largest.result(),
      unnamedDocuments: opened.problems.length > 0 ? [] : await unnamedDocuments(place.dir, named),
    };
  } finally {
    await place.close();
  }
};

/** Makes a draft's preview in its folder; `of` identifies its inputs. */
export type MakePreview = (
  draft: PortfolioDraft,
  how: { dir: string; of: string; signal: AbortSignal; deps: PreviewDeps; onLines: (lines: number) => void },
) => Promise<Preview>;

/** How many samples of a column are shown: enough to see what it contains. */
const SAMPLES = 3;

/** How many lines are searched for samples of a column, because it may be empty to its end. */
const LOOKED_AT_LINES = 2_000;

/** The most characters of a sample that are shown. */
const SAMPLE_LENGTH = 60;

/**
 * The columns, each with samples: the first different texts in its cells. The file is opened again for this, because a file that
 * lacks a required column is not read beyond its header, and then samples help a person to say which column that is.
 *
 * @throws LimitlineError `FILE`, `STOPPED`
 */
async function columnsWithSamples(file: PortfolioFile, { columns }: Pick<Opened, 'columns'>): Promise<PreviewColumn[]> {
  const found = columns.map((): string[] => []);
  const table = await openTable(tableOf(file));
  try {
    for (let lines = 0; lines < LOOKED_AT_LINES && found.some(({ length }) => length < SAMPLES); lines += 1) {
      const record = await nextRecord(table);
      if (!record) break;
      for (const [at, samples] of found.entries()) addSample(samples, record.cells[at] ?? '');
    }
  } finally {
    await table.close();
  }
  return columns.map(({ index, written, known, extra, by, guess }, at) => {
    return { index, written, known, extra, by, guess, samples: found[at] ?? [] };
  });
}

function addSample(samples: string[], cell: string): void {
  const text = cell.trim();
  if (text === '' || samples.length === SAMPLES) return;
  const sample = visible(cutText(text, SAMPLE_LENGTH));
  if (!samples.includes(sample)) samples.push(sample);
}

function headOf({ dialect, headerLine, above, problems, warnings }: Opened, columns: Preview['columns']) {
  return { dialect, headerLine, above, columns, faults: problems, fileWarnings: warnings };
}

/** How the file writes amounts and dates, for display and for checking edited cells. Unknown for an unreadable file. */
async function conventionsOf(opened: Opened): Promise<Preview['conventions']> {
  return opened.problems.length > 0 ? { decimal: null, dates: null } : opened.findConventions();
}

type Through = Pick<Preview, 'counts' | 'sum' | 'changes' | 'problems' | 'warnings'>;

async function readThrough(
  opened: Opened,
  { dir, dryRun, onLines }: { dir: string; dryRun: ReturnType<typeof makeDryRun>; onLines: (lines: number) => void },
): Promise<Through> {
  const counts = { lines: 0, rows: 0, invalid: 0, duplicate: 0 };
  const sum = makeControlSum('');
  const problems = makeMendList(join(dir, PROBLEMS_FILE));
  const warnings = makeMendList(join(dir, WARNINGS_FILE));
  const changes = makeChangeTally();
  try {
    for await (const batch of opened.batches()) {
      sum.add(batch);
      for (const line of await dryRun.add(batch)) {
        counts[line.kind === 'row' ? 'rows' : line.kind] += 1;
        changes.add(line.changed);
        if (line.kind !== 'row') await problems.add(toMend(line));
        else if (line.warnings.length > 0) await warnings.add(toMend(line));
      }
      counts.lines += batch.length;
      onLines(counts.lines);
    }
    const pages = { problems: await problems.end(), warnings: await warnings.end() };
    return { counts, sum: sum.found(), changes: changes.result(), ...pages };
  } finally {
    problems.drop();
    warnings.drop();
  }
}

function toMend(line: Line): LineToMend {
  const { kind, cells, numbers } = line;
  const broken = line.kind === 'invalid' ? line.broken : undefined;
  const breaks = (text: string) => text.split(/\r\n|\r|\n/).length - 1;
  const inside = broken === undefined ? cells.reduce((sum, cell) => sum + breaks(cell), 0) : breaks(broken);
  return {
    line: line.line,
    lines: 1 + inside,
    kind,
    key: line.kind === 'row' ? line.row.key : line.kind === 'invalid' ? line.key : '',
    cells,
    ...(numbers === undefined ? {} : { numbers }),
    problems: line.kind === 'row' ? [] : line.problems,
    warnings: line.kind === 'row' ? line.warnings : [],
    requested: line.kind === 'row' ? line.row.limit.requested_limit : line.requested,
    ...(broken === undefined ? {} : { broken }),
  };
}

/** Groups changes by column and reason, with their numbers. */
function makeChangeTally() {
  const kinds = new Map<string, Preview['changes'][number]>();
  return {
    add(changes: readonly CellChange[]): void {
      for (const { column, value, became, message } of changes) {
        const name = JSON.stringify([column, message]);
        const kind = kinds.get(name);
        if (kind) kind.count += 1;
        else if (kinds.size < MOST_KINDS) kinds.set(name, { column, count: 1, value, became, message });
      }
    },
    result: () => [...kinds.values()].sort((a, b) => b.count - a.count),
  };
}

/** The most groups of changes that are kept: reasons may quote cells, so each line could have a group of its own. */
const MOST_KINDS = 50;

/**
 * The worksheets of a workbook in order, also hidden ones; none for other files.
 *
 * @throws Error with a readable message for a broken file; LimitlineError `STOPPED`
 */
async function sheetNames({ path, signal }: { path: string; signal?: AbortSignal }): Promise<string[]> {
  // Only the sheets' names are read here, so it does not matter which words mean thousands.
  const book = await openWorkbook({
    path,
    signal,
    vocabulary: { saysThousands: () => false, namesCurrency: () => false },
  });
  if (book === null || typeof book === 'string') return [];
  book.close();
  return book.sheets.map(({ name }) => name);
}
