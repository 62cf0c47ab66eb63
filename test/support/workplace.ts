import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { type ExportDeps, type ExportPayload, exportResults } from '../../jobs/export/export-results.ts';
import { type ImportDeps, type Imported, importPortfolio } from '../../jobs/import/import-portfolio.ts';
import { lookThrough, type NightCheckDeps } from '../../jobs/nightly/reconcile.ts';
import { makeDryRun } from '../../jobs/preview/dry-run.ts';
import { importOutlookOf } from '../../jobs/preview/outlook.ts';
import { startWorkers, type Workers } from '../../jobs/workers/workers.ts';
import { outlookDepsOf } from '../../scripts/look/dry-run.ts';
import { readSettings, STAND_IN_CREDENTIALS } from '../../src/config.ts';
import { type Context, openContext } from '../../src/context.ts';
import type { DocumentFolder } from '../../src/documents/folder.ts';
import { CHECKS, type FoundItem } from '../../src/ledger/nightly/checks.ts';
import { makeFindingGroups } from '../../src/ledger/nightly/group-findings.ts';
import { type Summary, summarize } from '../../src/ledger/portfolios/summary.ts';
import { type Log, makeSilentLog } from '../../src/log.ts';
import { openService } from '../../src/open-service.ts';
import { fileRulesOf } from '../../src/portfolio/file-rules.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import type { Problem } from '../../src/portfolio/problem.ts';
import type { ReadOptions } from '../../src/portfolio/read-options.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { makeStandIn, type StandIn } from '../../src/stand-in/stand-in.ts';
import { ownDataHome } from './command.ts';
import { ownRedis } from './ledger.ts';

/** Enough for all work of a portfolio, also on a busy machine. */
const SETTLES_WITHIN = { timeout: 240_000 };

type ImportWish = {
  portfolio?: string;
  supplierPath?: string;
  total?: string;
  reading?: ReadOptions;
  replace?: boolean;
  first?: number;
  by?: string;
  authors?: string[];
};

/** A folder that is deleted when the test ends, also if a killed process writes its last file meanwhile. */
export async function makeFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'limitline-test-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true, maxRetries: 10 }));
  return dir;
}

/**
 * The product without its command line: a data folder and a key prefix of this test, a stand-in with the given faults,
 * and as many groups of workers as the test starts.
 */
export async function openWorkplace(asked: { faults?: FaultChange; env?: Record<string, string> } = {}) {
  const { faults = {}, env = {} } = asked;
  const dir = await makeFolder();
  const standIn = await startStandIn(faults);
  const given = {
    ...ownDataHome(dir),
    ...ownRedis(),
    SERVICE_URL: standIn.url(),
    SERVICE_CLIENT_ID: STAND_IN_CREDENTIALS.clientId,
    SERVICE_CLIENT_SECRET: STAND_IN_CREDENTIALS.clientSecret,
    ...env,
  };
  const open = async (more: Record<string, string> = {}, log: Log = makeSilentLog()): Promise<Context> => {
    // A worker may reach the service at another address than the one that names the account.
    const account = more.SERVICE_URL === undefined ? {} : { SERVICE_ACCOUNT: standIn.url() };
    const env = { ...given, ...account, ...more };
    const context = await openContext({ settings: readSettings({ cwd: dir, env }), log });
    onTestFinished(() => context.close());
    return context;
  };
  const context = await open();

  return {
    dir,
    /** The settings of its processes. */
    env: given,
    standIn,
    context,
    /**
     * Starts workers like another process, with their own ledger and connections, and with settings and a log if given.
     */
    async work(onFault?: (error: Error) => void, more?: Record<string, string>, log?: Log): Promise<Workers> {
      const own = await open(more, log);
      const workers = await startWorkers(own, openService(own, more?.SERVICE_URL ?? standIn.url()), onFault);
      onTestFinished(() => workers.stop());
      return workers;
    },
    /** Writes a file and imports it. */
    async import(lines: string[], { portfolio = 'q4', ...wish }: ImportWish = {}) {
      const path = join(dir, `${portfolio}.csv`);
      await writeFile(path, `${lines.join('\n')}\n`);
      return importFrom(path, context, { portfolio, ...wish });
    },
    /** Imports an existing file with these options of reading. */
    importFile: (path: string, reading: ReadOptions = {}, wish: ImportWish = {}) =>
      importFrom(path, context, { portfolio: 'q4', reading, ...wish }),
    report: (portfolio = 'q4') => reportOf(portfolio, context),
    /** Waits until the portfolio has nothing left to do, and returns its report. */
    async settled(portfolio = 'q4'): Promise<Summary> {
      const finishedMs = async () => (await context.portfolios.read(portfolio)).finishedMs;
      await expect.poll(finishedMs, SETTLES_WITHIN).toBeDefined();
      return reportOf(portfolio, context);
    },
  };
}

/** The dependencies of an import from a context; the caller adds progress and stop signal. */
export function importDepsOf(context: Context): Omit<ImportDeps, 'onBatch' | 'stopping'> {
  const { account, rows, portfolios, queues, buyers, imports, documents } = context;
  const { retryUntilAnswered, settings, approvals, approvalPolicy } = context;
  return {
    account,
    rows,
    portfolios,
    queues,
    buyers,
    imports,
    documents,
    approvals,
    approvalPolicy,
    // No mark is known here.
    marks: { check: async () => {} },
    retryUntilAnswered,
    fileRules: fileRulesOf(settings),
  };
}

async function importFrom(
  path: string,
  context: Context,
  wish: ImportWish,
): Promise<Imported & { problems: Problem[]; warnings: Problem[] }> {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const onBatch: ImportDeps['onBatch'] = (batch) => {
    problems.push(...batch.problems);
    warnings.push(...batch.warnings);
  };
  const imported = await importPortfolio(
    { portfolio: 'q4', reading: {}, replace: false, path, ...wish },
    { ...importDepsOf(context), onBatch, stopping: new AbortController().signal },
  );
  return { ...imported, problems, warnings };
}

async function reportOf(portfolio: string, context: Context): Promise<Summary> {
  const summary = await summarize(portfolio, context);
  if (!summary) throw new Error(`no portfolio ${portfolio}`);
  return summary;
}

/** Lines of a file with so many different buyers, header first. */
export function buyerLines(count: number): string[] {
  const lines = ['name,country_code,company_registration_number,requested_limit'];
  for (let n = 1; n <= count; n += 1) lines.push(`Buyer ${n} GmbH,DE,HRB ${n},${1_000 + n}.50`);
  return lines;
}

/** An export: by default the results of `q4` as CSV. `told` receives the sentences of the export. */
export type ExportWish = Partial<ExportPayload> & { told?: string[] };

/** The bytes of a results or errors file. */
export async function exportedBytes(
  deps: Omit<ExportDeps, 'say' | 'signal'>,
  { told = [], ...wish }: ExportWish = {},
): Promise<Buffer> {
  const to = new PassThrough();
  const exporting = exportResults({ portfolio: 'q4', only: 'all', ...wish }, to, {
    ...deps,
    say: (sentence) => told.push(sentence),
    signal: new AbortController().signal,
  });
  exporting.catch((error) => to.destroy(error));
  const [bytes] = await Promise.all([buffer(to), exporting]);
  return bytes;
}

/** The same as text. */
export async function exportedText(...of: Parameters<typeof exportedBytes>): Promise<string> {
  return (await exportedBytes(...of)).toString();
}

/** The header of {@link acme} and {@link zinc}. */
export const HEADER = 'name,country_code,company_registration_number,request_reference,requested_limit';
/** A file of these lines. */
export const asking = (...lines: string[]) => [HEADER, ...lines];
/** Lines of two buyers. */
export const acme = (amount: number, reference = '') => `Acme AG,DE,HRB 1,${reference},${amount}`;
export const zinc = (amount: number) => `Zinc AG,DE,HRB 2,,${amount}`;

/**
 * A workplace with files for limits of these buyers, and a service that refuses limits with `refusing` in them, or has
 * other faults.
 */
export async function openCorrections(refusing: string | NonNullable<FaultChange['rules']> = '') {
  const refused = { on: 'limit', match: String(refusing), fault: 'status', status: 422 } as const;
  const rules = typeof refusing !== 'string' ? refusing : refusing === '' ? [] : [refused];
  const place = await openWorkplace({ faults: { rules } });
  return {
    ...place,
    importLines: (...lines: string[]) => place.import(asking(...lines)),
    results: async (): Promise<Record<string, string>[]> => parse(await exportedText(place.context), { columns: true }),
    errors: () => exportedText(place.context, { only: 'errors' }),
    /** The requested limits, in any order. */
    requested: () =>
      place.standIn
        .things('limit')
        .map(({ body }) => Number(Object(body).requested_limit))
        .sort((a, b) => a - b),
  };
}

/** The findings of the nightly check, without those for finance unless these are asked for. */
export async function foundBy(
  deps: NightCheckDeps,
  { finance = false, ...how }: { lookAgainMs?: number; finance?: boolean } = {},
): Promise<{ portfolio: string; finding: string; rows: number }[]> {
  const groups = makeFindingGroups();
  const isOfLedger = ({ check }: FoundItem) => finance || CHECKS[check].kind === 'ledger' || check === 'made twice';
  await lookThrough(
    deps,
    { found: (item) => void (isOfLedger(item) && groups.add(item)) },
    { atMs: Date.now(), signal: new AbortController().signal, ...how },
  );
  return groups.result().findings.map(({ portfolio, finding, rows }) => ({ portfolio, finding, rows }));
}

/** A stand-in on a free port that remembers everything it made; it ends with the test. */
export async function startStandIn(faults: FaultChange = {}): Promise<StandIn> {
  const standIn = makeStandIn({ credentials: STAND_IN_CREDENTIALS, faults, keepMade: true, log: makeSilentLog() });
  await standIn.start();
  onTestFinished(() => standIn.close());
  return standIn;
}

type Checked = { path: string; portfolio?: string; documents?: DocumentFolder };

/**
 * The answer of `check` for a file to be imported into the portfolio, `q4` by default: its lines, their warnings, and
 * the whole.
 */
export async function checkedFile({ path, portfolio = 'q4', documents }: Checked, context: Context) {
  const outlook = await importOutlookOf(outlookDepsOf(context), { portfolio, path, reading: {} });
  const opened = await openPortfolio({ path, documents, buyers: outlook.buyers });
  const dryRun = makeDryRun({ foresees: outlook.foresees, ratePerS: undefined });
  const lines = (await Array.fromAsync(opened.batches(), (batch) => dryRun.add(batch))).flat();
  return {
    lines,
    warnings: lines.flatMap((line) => (line.kind === 'row' ? line.warnings : [])),
    /** The lines that lead to no row, because they are invalid. */
    invalid: lines.filter(({ kind }) => kind === 'invalid').map(({ line }) => line),
    problems: opened.problems,
    ...dryRun.result(),
  };
}

/** A log that keeps its lines as objects, without the time and the like. */
export function makeKeptLog(): { log: Log; lines: { level: string; msg: string; [field: string]: unknown }[] } {
  const lines: { level: string; msg: string }[] = [];
  const log = pino(
    { level: 'info', base: null, timestamp: false, formatters: { level: (level) => ({ level }) } },
    { write: (line) => void lines.push(JSON.parse(line)) },
  );
  return { log, lines };
}
