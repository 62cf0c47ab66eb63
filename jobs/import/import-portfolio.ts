import { basename, resolve } from 'node:path';
import { openDocuments } from '../../src/documents/archive.ts';
import { defaultDocumentsDir } from '../../src/documents/folder.ts';
import type { DocumentStore } from '../../src/documents/store.ts';
import { inTime } from '../../src/in-time.ts';
import type { SendMarks } from '../../src/ledger/calls/send-marks.ts';
import type { ImportRun } from '../../src/ledger/portfolios/imports.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import { untilStopped } from '../../src/ledger/schema/until-answered.ts';
import { isErrorsHeader } from '../../src/portfolio/columns/result-columns.ts';
import { fileRulesOf, type RuleSettings } from '../../src/portfolio/file-rules.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import type { CellChange, Problem } from '../../src/portfolio/problem.ts';
import { readSupplier } from '../../src/portfolio/supplier.ts';
import { type FeedDeps, feed } from '../rows/feed.ts';
import { makeAsWritten } from './as-written.ts';
import { columnsLeftOut, makeTellingColumns } from './columns-left-out.ts';
import { type ApprovalDeps, beginApproval } from './import-approval.ts';
import { otherUnderWay, replaceByPart, setBack } from './import-faults.ts';
import { countLacking, countLackingSent, leaveOutLacking } from './lacking-rows.ts';
import type { FileToImport, OpenDeps, OpenedImport } from './open-import.ts';
import { makeRequestsInFile, openImport, orClose, readingTextOf } from './open-import.ts';
import { countGone, makeOtherFiles } from './other-files.ts';
import type { ImportTarget } from './put-line.ts';
import { putLines } from './put-lines.ts';
import { type NamedSupplier, rememberSupplier, supplierAsNamed } from './remember-supplier.ts';

export type ImportPayload = FileToImport & {
  documentsDir?: string | undefined;
  supplierPath?: string | undefined;
  /** The name of the person who imports the file. */
  by?: string | undefined;
  /** People who uploaded or corrected the file. None of them, nor `by`, may approve it. */
  authors?: readonly string[] | undefined;
  /** Whether rows of earlier imports that the file lacks and that were not sent are cancelled. A file that has no row, or {@link Imported.isCut}, cancels none. */
  replace: boolean;
  /** The number of rows to send before the portfolio pauses itself. 1 to {@link MOST_FIRST}. */
  first?: number | undefined;
};

/** The dependencies of an import. `retryUntilAnswered` retries while Redis is away, until `stopping` is aborted. */
export type ImportDeps = FeedDeps &
  OpenDeps &
  ApprovalDeps & {
    documents: DocumentStore;
    marks: Pick<SendMarks, 'check'>;
    /** Called once before the first line is read, with how the file is read. */
    onOpened?: (opened: Opened) => void;
    /** Called after each batch, with its problems and warnings and the number of lines read so far. */
    onBatch: (batch: Findings & { lines: number }) => void;
  };

type Findings = { problems: Problem[]; warnings: Problem[]; changed: CellChange[] };

/**
 * The result of an import. `faults` concern the whole file; if there are any, nothing was imported. Of rows of earlier imports, lines of this
 * file brought `revived` back that had been given up, and `replaced` others. `lacking` (not sent), `lackingSent` and `givenUp` are not in it.
 */
export type Imported = {
  faults: Problem[];
  /** The SHA-256 of the file's content, in hexadecimal: the audit names by it which file was imported. */
  sha256: string;
  lines: number;
  rows: number;
  invalid: number;
  duplicate: number;
  /** Columns of its supplier's file that no call sends; left out without any. */
  supplierColumnsNotSent?: string[] | undefined;
} & Earlier & {
    /** The import's approval, if it waits for another person. */
    approval?: Approval | undefined;
  };

/** What the import found of earlier requests and rows. */
type Earlier = {
  requestedBefore: number;
  revived: number;
  replaced: number;
  lacking: number;
  lackingSent: number;
  givenUp: number;
  /** Whether the file is an errors file, so it has only some lines of the portfolio. */
  isPart: boolean;
  /** Whether the file ends within an invalid line, so it may lack lines. */
  isCut?: true;
  /**
   * The lines of the last import without a row that reports and results no longer name, since those tell of the newest import alone. Lines
   * that this errors file repeats are not counted.
   */
  gone: number;
  /** The name of the file of the lines that are `gone`, unless this file has the same. */
  goneFile?: string;
  /** Lines of this errors file that do not say which line they were, so they may repeat lines that are `gone`. */
  unknownOrigin: number;
};

/**
 * Imports a file into a portfolio. The whole file is copied into the data folder first: a file that cannot be read to its end
 * leaves no trace, and the results file is later written from the copy. Importing a file again, or after a crash, duplicates
 * nothing: a line leads to the same row each time.
 *
 * @throws LimitlineError `FILE` when the file or the supplier's file cannot be read; `USAGE` where `replace` is not allowed or
 *   the portfolio is archived; `OLDER` where Redis is older than what was sent, or was set back during the import; `STOPPED` when `stopping` is aborted
 */
export async function importPortfolio(payload: ImportPayload, deps: ImportDeps): Promise<Imported> {
  const { documentsDir, path, portfolio } = payload;
  // This check comes before the file is copied, because an archived portfolio takes no import.
  await deps.retryUntilAnswered('look', () => deps.portfolios.mustBeHere(portfolio));
  await deps.marks.check();
  const documents = documentsDir === undefined ? defaultDocumentsDir(path) : resolve(documentsDir);
  const place = await openDocuments(documents, deps.stopping);
  try {
    return await importFile({ documentsWords: place.words, ...payload }, place.dir, deps);
  } finally {
    await place.close();
  }
}

/** The parts of a process's context that an import needs. */
export type ImportSource = Omit<ImportDeps, 'onBatch' | 'onOpened' | 'stopping' | 'fileRules'> & {
  settings: RuleSettings;
};

/** The dependencies of an import that ends early when `stopping` is aborted, also while Redis is away. */
export function importDepsOf(source: ImportSource, stopping: AbortSignal): Omit<ImportDeps, 'onBatch'> {
  return {
    ...source,
    stopping,
    retryUntilAnswered: untilStopped(source.retryUntilAnswered, stopping),
    fileRules: fileRulesOf(source.settings),
  };
}

async function importFile(payload: ImportPayload, documentsDir: string, deps: ImportDeps): Promise<Imported> {
  const { portfolio, path, supplierPath, replace, first } = payload;
  const supplier = supplierPath === undefined ? undefined : await readSupplier(supplierPath);
  const given = await openImport(payload, documentsDir, deps);
  // Missing columns are named before all lines, since they may be why each of them has a problem.
  const copy = deps.imports.open(given.importId).path;
  const following = { ...payload, path: copy, opened: given.opened, open: given.openAhead };
  const looking = deps.retryUntilAnswered('look', () => columnsLeftOut(following, deps));
  const { opened, warnings } = await orClose(given.opened, looking);
  const file = { ...given, opened };
  deps.onOpened?.(opened);
  if (warnings.length > 0) deps.onBatch({ problems: [], warnings, changed: [], lines: 0 });
  const found = {
    ...nothingFound(opened, given.importId),
    ...(supplier?.unsent.length && { supplierColumnsNotSent: supplier.unsent }),
  };
  if (opened.problems.length > 0) return found;
  if (replace && found.isPart) {
    await opened.close();
    throw replaceByPart(path);
  }
  await file.checkSheet();
  const opening = { ...file, supplier: supplier && supplierAsNamed(supplier) };
  const starting = countGone(payload, file, deps).then((counts) => {
    Object.assign(found, counts);
    return startImport(payload, opening, deps);
  });
  const target = await orClose(opened, starting);
  const { run } = target;
  const telling = makeTellingColumns(opened.columns, payload.reading);
  try {
    // The limit of first rows is set before any line is in the ledger, so that no row beyond them is sent.
    if (first !== undefined) await deps.retryUntilAnswered('first', () => deps.portfolios.sendFirst(portfolio, first));
    const { approval } = target;
    if (supplier)
      await deps.retryUntilAnswered('supplier', () => rememberSupplier(portfolio, supplier, { ...deps, approval }));
    await putBatches(target, opened, { found, telling }, deps);
    // Before rows count as lacking that this file has.
    if (!(await deps.retryUntilAnswered('look', run.isWhole))) throw setBack(target.fileName);
    const whole = { portfolio, fileName: target.fileName, importId: run.number, begun: run.begun };
    if (replace && found.rows > 0 && !found.isCut)
      found.givenUp = await deps.retryUntilAnswered('leave out', () => leaveOutLacking(whole, deps));
    else found.lacking = await deps.retryUntilAnswered('count', () => countLacking(whole, deps));
    found.lackingSent = await deps.retryUntilAnswered('count', () => countLackingSent(portfolio, found, deps));
  } catch (error) {
    await leave(run);
    throw error;
  }
  // Warnings about the whole file are known only after its last line.
  deps.onBatch({ problems: [], warnings: opened.warnings, changed: [], lines: found.lines });
  const { lines, rows, invalid, duplicate } = found;
  const [sentIn, ...others] = target.sentIn;
  found.approval = await target.approval.close();
  const columns = found.isPart ? undefined : telling.filled();
  const told = { ...(columns !== undefined && { columns }), ...(others.length === 0 && { sentIn }) };
  await deps.retryUntilAnswered('end import', () =>
    run.end({ lines, rows, invalid, duplicate, currency: opened.currency(), ...told }),
  );
  return found;
}

function nothingFound({ problems, header }: Opened, sha256: string): Imported {
  return {
    faults: problems,
    lines: 0,
    sha256,
    rows: 0,
    invalid: 0,
    duplicate: 0,
    requestedBefore: 0,
    revived: 0,
    replaced: 0,
    lacking: 0,
    lackingSent: 0,
    givenUp: 0,
    gone: 0,
    unknownOrigin: 0,
    isPart: isErrorsHeader(header),
  };
}

async function startImport(
  { portfolio, path, reading, replace, by, authors = [], made, first, total }: ImportPayload,
  { importId, opened, openAhead, currency, supplier }: OpenedImport & { supplier: NamedSupplier | undefined },
  deps: ImportDeps,
): Promise<ImportTarget> {
  const known = {
    id: importId,
    fileName: basename(path),
    reading: readingTextOf(reading, opened),
    ...(by ? { by } : {}),
  };
  const told = { ...made, ...(first && { first }), ...(total && { total }) };
  const columns = isErrorsHeader(opened.header) ? undefined : makeTellingColumns(opened.columns, reading).ofHeader;
  const begun = { ...known, columns, ...(Object.keys(told).length > 0 && { made: told }) };
  const start = replace ? deps.portfolios.startReplacing : deps.portfolios.startImport;
  const run = await deps.retryUntilAnswered('start import', () => start(portfolio, begun));
  if (!run) throw otherUnderWay(portfolio);
  const redone =
    supplier !== undefined &&
    (await deps.retryUntilAnswered('supplier', () => deps.portfolios.isSupplierDeclined(supplier.key)));
  const named = supplier ? JSON.stringify(supplier) : '';
  const of = { file: known, number: run.number, authors: by ? [...authors, by] : authors };
  const asked = { ...of, supplier: supplier?.key, named, redone };
  const allImports = (name: string) => deps.retryUntilAnswered('imports', () => deps.portfolios.allImports(name));
  return {
    portfolio,
    run,
    approval: await beginApproval(portfolio, asked, deps),
    importId: run.number,
    fileName: known.fileName,
    ...makeOtherFiles(opened.header, { portfolios: { allImports }, imports: deps.imports, signal: deps.stopping }),
    file: makeRequestsInFile(openAhead),
    currency,
    sentIn: new Set(),
    asWritten: makeAsWritten(opened.columns),
  };
}

/** Imports all lines, and adds up the results in `found`, and what rows have in `telling`. */
async function putBatches(
  target: ImportTarget,
  opened: Opened,
  { found, telling }: { found: Imported; telling: ReturnType<typeof makeTellingColumns> },
  deps: ImportDeps,
): Promise<void> {
  for await (const batch of opened.batches()) {
    const { lines, requestedBefore, revived, replaced } = await putLines(target, batch, deps);
    found.requestedBefore += requestedBefore;
    found.revived += revived;
    found.replaced += replaced;
    for (const line of lines) {
      found[line.kind === 'row' ? 'rows' : line.kind] += 1;
      if (line.kind === 'row') telling.add(line);
      else if (line.kind === 'invalid' && line.isCut) found.isCut = true;
    }
    found.lines += lines.length;
    await deps.retryUntilAnswered('feed', () => feed(deps));
    deps.onBatch({ ...findingsOf(lines), lines: found.lines });
  }
}

function findingsOf(lines: readonly Line[]): Findings {
  return {
    problems: lines.flatMap((line) => (line.kind === 'row' ? [] : line.problems)),
    warnings: lines.flatMap((line) => (line.kind === 'row' ? line.warnings : [])),
    changed: lines.flatMap((line) => line.changed),
  };
}

/** How long an import that fails or is stopped waits for Redis to record that. Redis usually needs milliseconds. */
const LEAVE_MS = 1_000;

/** Tells the ledger that the import ended early. A failure to tell it is ignored: the ledger later sees that the import reports no more. */
async function leave(run: ImportRun): Promise<void> {
  const left = run.leave().catch(() => {});
  await inTime(left, LEAVE_MS, () => {});
}
