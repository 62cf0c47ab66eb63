import type { Command } from 'commander';
import { lackingWords } from '../../jobs/import/lacking-rows.ts';
import { checkImport } from '../../jobs/import/open-import.ts';
import { mustHaveLines } from '../../jobs/import/same-buyer-lines.ts';
import { makeDryRun } from '../../jobs/preview/dry-run.ts';
import { openAsImport } from '../../jobs/preview/open-as-import.ts';
import type { ImportOutlook } from '../../jobs/preview/outlook.ts';
import { accountOf, readSettings, type Settings } from '../../src/config.ts';
import { otherCurrencyWords } from '../../src/console/pages/new/words.ts';
import { counted, grouped } from '../../src/counted.ts';
import { openDocuments, removeUnpackedFolders } from '../../src/documents/archive.ts';
import { defaultDocumentsDir, unnamedDocuments } from '../../src/documents/folder.ts';
import { isLimitlineError } from '../../src/errors.ts';
import { saveMapping } from '../../src/portfolio/columns/mapping.ts';
import { isErrorsHeader } from '../../src/portfolio/columns/result-columns.ts';
import { agreesWords, makeControlSum } from '../../src/portfolio/control-total.ts';
import { fileRulesOf } from '../../src/portfolio/file-rules.ts';
import { type Opened, openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import { makeProblem, type Problem, visible, WHOLE_FILE } from '../../src/portfolio/problem.ts';
import { readSupplier, type Supplier, supplierName, unsentWords } from '../../src/portfolio/supplier.ts';
import { buyerWords, makeBuyerList } from '../file/buyer-list.ts';
import { lookForChange, makeProblemList, type ProblemList, readAll } from '../file/problems.ts';
import { documentsBeside, fileOrInput, INPUT_NAME } from '../file/standard-input.ts';
import { understanding, understoodWords } from '../file/understanding.ts';
import { approvalOutlook } from '../look/approval-outlook.ts';
import { dryRunWords, findLedger, type Ledger, outlookDepsOf } from '../look/dry-run.ts';
import { announceFolder } from '../opening/on-portfolio.ts';
import {
  documentsOption,
  portfolioNameOf,
  type ReadingOptions,
  readOptionsOf,
  totalOption,
  withReadingOptions,
} from '../options/import-options.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import { waitForSignal } from '../process/long-running.ts';
import type { Terminal } from '../terminal/terminal.ts';

type CheckOptions = ReadingOptions & {
  documents?: string;
  total?: string;
  supplier?: string;
  saveMap?: string;
  portfolio?: string;
  buyers?: boolean;
};

/** `limitline check FILE`: reads and validates a file, sends nothing, and reports every problem by line and column. */
export function register(program: Command, terminal: Terminal): void {
  withReadingOptions(program.command('check').argument('<file>', 'the CSV of buyers, or - for standard input'))
    .addOption(documentsOption())
    .addOption(totalOption())
    .option('--supplier <file>', 'a CSV or workbook with one line: the supplier, as run --supplier takes it')
    .option('--portfolio <name>', "the portfolio to import it into (default: the file's name without its ending)")
    .option('--buyers', 'list the lines that mean the same buyer, or one that is known already, and why')
    .option('--save-map <file>', 'write how the columns were read to this file, to be corrected and given to --map')
    .action(async (file: string, options: CheckOptions) => {
      const { stopping, forget } = stopOnSignal();
      process.exitCode = await checkFile(file, options, { terminal, stopping }).finally(forget);
    });
}

/**
 * How long the command may take to end properly, which closes files. After that the process is killed: reading from a silent pipe cannot be
 * interrupted.
 */
const LEAVE_WITHIN_MS = 2_000;

/** Stops the command at a signal. If it does not end by itself soon, the process is killed. Unpacked documents are removed either way. */
function stopOnSignal(): { stopping: AbortSignal; forget: () => void } {
  const { signal, forget } = waitForSignal();
  const stop = new AbortController();
  let leaving: NodeJS.Timeout | undefined;
  signal.then((name) => {
    stop.abort();
    leaving = setTimeout(() => {
      removeUnpackedFolders();
      forget();
      // The process ends as the signal itself would end it: a normal exit would wait for the pipe.
      process.kill(process.pid, name);
    }, LEAVE_WITHIN_MS);
  });
  return {
    stopping: stop.signal,
    forget: () => {
      clearTimeout(leaving);
      forget();
    },
  };
}

/** So many problems `--json` has at most, since they are printed as one value; some 50 MB of memory. `counts` has the number of all. */
const MOST_IN_JSON = 100_000;

type Deps = { terminal: Terminal; stopping: AbortSignal };

async function checkFile(file: string, options: CheckOptions, { terminal, stopping }: Deps): Promise<number> {
  const settings = readSettings();
  const reading = await readOptionsOf(options);
  const path = await fileOrInput(file, terminal.say);
  const documents = options.documents ?? documentsBeside(file) ?? defaultDocumentsDir(path);
  const place = await openDocuments(documents, stopping);
  const ledger = await findLedger(settings);
  try {
    const portfolio = options.portfolio ?? portfolioNameOf(file);
    checkImport({ portfolio, path });
    const changes = await lookForChange(path);
    const open = () => openPortfolio({ ...reading, path, signal: stopping });
    await mustHaveLines(reading.sameBuyer, { path, open });
    const named = new Set<string>();
    const looking = {
      account: accountOf(settings),
      ledger: ledger.context && outlookDepsOf(ledger.context),
      fileRules: fileRulesOf(settings),
      documents: { ...place, onNamed: (path: string) => named.add(path) },
      signal: stopping,
    };
    const { opened, warnings: leftOut, outlook } = await openAsImport({ portfolio, reading, path }, looking);
    if (options.saveMap !== undefined) {
      await saveMapping(options.saveMap, opened.columns, reading.mapping?.constants ?? {});
    }
    if (ledger.context) announceFolder(settings, terminal.say);
    const deps = { portfolio, leftOut, changes, settings, ledger, outlook, named, documentsDir: place.dir, terminal };
    return await checkOpened(path === file ? file : INPUT_NAME, opened, {
      ...deps,
      isToListBuyers: options.buyers === true,
      total: options.total,
      supplierPath: options.supplier,
    });
  } finally {
    await ledger.close();
    await place.close();
  }
}

type CheckDeps = {
  portfolio: string;
  /** Warnings about columns that this file lacks, or uses otherwise than the portfolio's last file. They are listed before warnings about lines. */
  leftOut: readonly Problem[];
  /** The warning about a file that somebody wrote to since it was opened. */
  changes: () => Promise<Problem[]>;
  settings: Settings;
  ledger: Ledger;
  outlook: ImportOutlook;
  documentsDir: string;
  /** The documents that lines name, known after the last line. */
  named: ReadonlySet<string>;
  terminal: Terminal;
  isToListBuyers: boolean;
  total: string | undefined;
  supplierPath: string | undefined;
};

async function checkOpened(file: string, opened: Opened, deps: CheckDeps) {
  const { settings, ledger, outlook, documentsDir, terminal } = deps;
  const most = { printed: Number.POSITIVE_INFINITY, ...(terminal.json ? { kept: MOST_IN_JSON } : {}) };
  const list = makeProblemList((text) => terminal.answer(text), most);
  list.add({ problems: opened.problems, warnings: deps.leftOut });
  const supplier = await supplierOf(deps.supplierPath, list);
  const dryRun = makeDryRun({ foresees: outlook.foresees, ratePerS: settings.SERVICE_RATE_PER_S, supplier });
  const buyers = makeBuyerList(outlook.buyers.portfolio);
  const sum = deps.total === undefined ? undefined : makeControlSum(deps.total);
  const counts = await readAll(opened, list, async (batch) => {
    await terminal.room();
    if (deps.isToListBuyers) buyers.add(batch);
    sum?.add(batch);
    return dryRun.add(batch);
  });
  // Warnings about the whole file are known only after its last line.
  const otherSum = opened.problems.length > 0 ? undefined : sum?.problem();
  const changes = await deps.changes();
  list.add({ problems: otherSum ? [otherSum] : [], warnings: [...opened.warnings, ...changes] });
  list.sayAlike();
  const unnamed = opened.problems.length > 0 ? [] : await unnamedDocuments(documentsDir, deps.named);
  const isPart = isErrorsHeader(opened.header);
  if (ledger.context) await dryRun.countLacking({ header: opened.header, rows: counts.rows }, ledger.context.rows);
  const isRequesting = counts.rows > 0 && !otherSum;
  const approval = isRequesting
    ? await approvalOutlook(
        { portfolio: deps.portfolio, dryRun: dryRun.result(), left: dryRun.left() },
        { ...ledger, settings },
      )
    : undefined;
  const there = await ledger.context?.portfolios.read(deps.portfolio);
  const mixed = isRequesting ? otherCurrencyWords(opened.currency(), there?.currencies) : '';
  const { problems, warnings, changed, counts: found } = list;
  const tally = `${counted(found.problems, 'problem')}, ${counted(found.warnings, 'warning')}, ${counted(found.changed, 'cell')} changed.`;
  const lacking = { lacking: 0, lackingSent: 0, ...dryRun.result(), isPart, rows: counts.rows };
  const words = [
    ...(opened.columns.length > 0 ? [understoodWords(opened)] : []),
    ...(supplier ? [`The supplier is ${visible(supplierName(supplier))}.`, ...unsentWords(supplier.unsent)] : []),
    ...(unnamed.length > 0 ? [`Documents that no line names: ${unnamed.join(', ')}.`] : []),
    ...(deps.isToListBuyers ? buyerWords(buyers.result()) : []),
    ...(otherSum ? ['Nothing would be imported: the control total differs.'] : []),
    ...(deps.total !== undefined && !otherSum && opened.problems.length === 0 ? [agreesWords(deps.total)] : []),
    ...(isRequesting ? [dryRunWords(dryRun.result(), opened.currency())] : []),
    ...(mixed === '' ? [] : [mixed]),
    ...(approval === undefined ? [] : [approval]),
    ...(otherSum ? [] : lackingWords(lacking, 'import --replace')),
    ...(ledger.fault === null ? [] : [ledger.fault]),
    opened.problems.length > 0
      ? `${file}: no line was read, since the file as a whole has a problem; ${tally}`
      : counts.lines === 0
        ? `${file}: the file has a header and no line, so there is nothing to import; ${tally}`
        : `${file}: ${counted(counts.lines, 'line')}: ${grouped(counts.rows)} good, ${grouped(counts.invalid)} invalid, ${grouped(counts.duplicate)} duplicate; ${tally}`,
  ];
  terminal.print(words.join('\n'), {
    file,
    ...counts,
    problems,
    warnings,
    changed,
    counts: found,
    dryRun: dryRun.result(),
    notKnown: ledger.fault,
    approval: approval ?? null,
    unnamedDocuments: unnamed,
    ...(deps.isToListBuyers ? { buyers: buyers.result() } : {}),
    ...understanding(opened),
  });
  return found.problems > 0 ? PROBLEMS_STATUS : 0;
}

/** The supplier that the file at `path` names. If the file cannot be used, that is added to `list` as a problem. */
async function supplierOf(path: string | undefined, list: ProblemList): Promise<Supplier | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readSupplier(path);
  } catch (error) {
    if (!isLimitlineError(error, 'FILE')) throw error;
    list.add({ problems: [makeProblem(WHOLE_FILE, null, null, error.message)] });
    return undefined;
  }
}
