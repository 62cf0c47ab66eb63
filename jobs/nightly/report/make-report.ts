import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { makeFolder } from '../../../src/data-folder.ts';
import { messageOf } from '../../../src/errors.ts';
import { accountFolder, safeFolderName } from '../../../src/files/account-folder.ts';
import { type FileDraft, writeDraft } from '../../../src/files/disk.ts';
import {
  CHECKS,
  type Finding,
  type FoundItem,
  type FoundSink,
  type NightReport,
  type ReportFiles,
  type WholeReport,
} from '../../../src/ledger/nightly/checks.ts';
import {
  compareReports,
  countFindings,
  SECTION_WORDS,
  sectionOf,
} from '../../../src/ledger/nightly/compare-reports.ts';
import { makeFindingGroups } from '../../../src/ledger/nightly/group-findings.ts';
import type { Reports } from '../../../src/ledger/nightly/reports.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import { onceEach } from '../../../src/once-at-a-time.ts';
import { plainTableLine } from '../../../src/table/write-table.ts';
import { currenciesOfPortfolio } from '../../rows/import-names.ts';
import type { Night } from '../run-task.ts';

export type ReportDeps = {
  account: string;
  reports: Reports;
  settings: { LIMITLINE_DATA: string };
  keys: { reports: string };
  portfolios: Pick<Portfolios, 'allImports'>;
  /** Renders a page for printing, piece by piece. Left out where no page is made. */
  printReport?: (whole: WholeReport) => Iterable<string>;
};

/** Runs checks and passes findings to the sink. Answers how much was checked. */
export type NightCheck = (sink: FoundSink) => Promise<NightReport['looked']>;

/**
 * Makes the report of a night: runs the checks, writes each item as it is found, compares with the report before, leaves files
 * in the data folder, and stores the report in Redis. A run that died leaves only a draft; the next run of the night replaces
 * any report of it. A disk fault only costs the files.
 *
 * @throws errors of the checks or of Redis
 */
export async function makeReport(night: Omit<Night, 'from'>, look: NightCheck, deps: ReportDeps): Promise<NightReport> {
  const { reports, account, settings, keys } = deps;
  const dir = accountFolder({ dataDir: settings.LIMITLINE_DATA, kind: 'reports', account, of: keys.reports });
  const beganMs = await reports.now();
  const groups = makeFindingGroups();
  const currenciesOf = onceEach((portfolio: string) => currenciesOfPortfolio(portfolio, deps));
  const { looked, draft: items, fault = '' } = await lookAndWrite(look, groups.add, { dir, currenciesOf });
  try {
    const { findings: found, crowded, items: count } = groups.result();
    const findings = await withCurrencies(found, currenciesOf);
    const before = await reports.before(night);
    const compared = compareReports({ findings, crowded }, before);
    const { id, by, atMs } = night;
    const report: WholeReport['report'] = {
      ...{ id, account, by, atMs, beganMs, madeMs: await reports.now(), looked, crowded },
      ...{ items: count, findings: countFindings(compared), groups: compared.groups },
      ...(before === undefined ? {} : { before: { id: before.id, madeMs: before.madeMs } }),
    };
    const whole = { report, findings: compared.findings };
    const files = items ? await leaveFiles(items, whole, dir, deps) : { fault };
    const kept: NightReport = { ...report, ...files };
    for (const old of await reports.keep(kept, compared.findings)) await forgetFolder(ofNight(dir, old));
    return kept;
  } finally {
    await items?.drop();
  }
}

/** The currencies that the files of a portfolio name; undefined among them where one names none. */
type CurrenciesOf = (portfolio: string) => Promise<ReadonlySet<string | undefined>>;

/**
 * The findings with the currency of their sums. A finding whose portfolios' files name several currencies loses its sums. A finding without
 * a portfolio keeps the currency of its items.
 */
async function withCurrencies(findings: readonly Finding[], currenciesOf: CurrenciesOf): Promise<Finding[]> {
  const told: Finding[] = [];
  for (const finding of findings) {
    const { portfolios = [finding.portfolio], ...whole } = finding;
    const { sum, granted, ...others } = whole;
    const named = new Set<string | undefined>();
    const isOfMoney = (sum ?? granted) !== undefined;
    for (const one of isOfMoney ? portfolios.filter((name) => name !== '') : [])
      for (const currency of await currenciesOf(one)) named.add(currency);
    const currencies = [...named];
    const [currency] = currencies.length === 1 ? currencies : [];
    const isMixed = currencies.filter((one) => one !== undefined).length > 1;
    told.push(isMixed ? { ...others, isMixed } : currency === undefined ? whole : { ...whole, currency });
  }
  return told;
}

/** How much the checks looked at. `draft`: the draft of the file of all items; `fault`: the disk's fault that prevented this draft. */
type Looked = { looked: NightReport['looked'] } & (
  | { draft: FileDraft; fault?: never }
  | { draft?: never; fault: string }
);

/** Runs the checks and writes their findings. If the disk fails, the checks are still run, once. */
async function lookAndWrite(
  look: NightCheck,
  add: FoundSink['found'],
  { dir, currenciesOf }: { dir: string; currenciesOf: CurrenciesOf },
): Promise<Looked> {
  let done: { looked: NightReport['looked'] } | undefined;
  let failed: { error: unknown } | undefined;
  const lookWith = async (sink: FoundSink) => {
    try {
      done = { looked: await look(sink) };
    } catch (error) {
      failed = { error };
      throw error;
    }
  };
  try {
    makeFolder(dir, 0o700);
    const write = async (to: Writable) => {
      const items = openItems(to);
      const write = itemsWithCurrency(items.add, currenciesOf);
      await lookWith({
        found(item) {
          add(item);
          return write(item);
        },
      });
      await items.end();
    };
    // The draft is in the folder of all nights, where the next run removes drafts of killed runs.
    const draft = await writeDraft({ dir, name: ITEMS, mode: 0o600, write });
    return { looked: doneOf(done), draft };
  } catch (error) {
    if (failed) throw failed.error;
    if (!done) await lookWith({ found: add });
    return { looked: doneOf(done), fault: messageOf(error) };
  }
}

/** Adds the currency of the portfolio's files to an item with an amount; `several` if they name several. */
function itemsWithCurrency(add: FoundSink['found'], currenciesOf: CurrenciesOf): FoundSink['found'] {
  const known = new Map<string, string>();
  return (item) => {
    const { requested, granted, portfolio, currency = known.get(portfolio) } = item;
    if ((requested ?? granted) === undefined || portfolio === '') return add(item);
    if (currency !== undefined) return add({ ...item, currency });
    return currenciesOf(portfolio).then((found) => {
      const [one, ...others] = [...found].filter((name) => name !== undefined);
      const told = others.length > 0 ? 'several' : found.size === 1 ? (one ?? '') : '';
      known.set(portfolio, told);
      return add({ ...item, currency: told });
    });
  };
}

function doneOf(done: { looked: NightReport['looked'] } | undefined): NightReport['looked'] {
  if (!done) throw new Error('Nothing was looked at.');
  return done.looked;
}

/** Puts the file of all items and the page for printing in place, each atomically. */
async function leaveFiles(
  items: FileDraft,
  whole: WholeReport,
  dir: string,
  { printReport }: ReportDeps,
): Promise<Pick<NightReport, 'files' | 'fault'>> {
  const folder = ofNight(dir, whole.report.id);
  let page: FileDraft | undefined;
  try {
    makeFolder(folder, 0o700);
    if (printReport) {
      const write = (to: Writable) => pipeline(Readable.from(printReport(whole)), to);
      page = await writeDraft({ dir, name: PAGE, mode: 0o600, write });
      await page.putInPlace(join(folder, PAGE), true);
    }
    await items.putInPlace(join(folder, ITEMS), true);
    const files: ReportFiles = { host: hostname(), folder, items: ITEMS, ...(page ? { page: PAGE } : {}) };
    return { files };
  } catch (error) {
    return { fault: messageOf(error) };
  } finally {
    await page?.drop();
  }
}

/** A night's folder: `reports/api.example.com-3fa9c1/2026-11-22T01-30-00.000Z`. */
const ofNight = (dir: string, id: string): string => join(dir, safeFolderName(id));

/** Removes a forgotten report's files. Files on another host are left to that host. */
async function forgetFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => {});
}

/** The file of all items, and the page for printing. */
export const ITEMS = 'items.csv';
export const PAGE = 'report.html';

/** The columns of the file of all items, in order. */
const COLUMNS: readonly [name: string, cell: (item: FoundItem) => string | number | undefined][] = [
  ['part', (item) => SECTION_WORDS[sectionOf(item)].title],
  ['kind', ({ check }) => CHECKS[check].kind],
  ['check', ({ check }) => CHECKS[check].title],
  ['portfolio', ({ portfolio }) => portfolio],
  ['line', ({ line }) => line],
  ['row', ({ portfolio, key }) => (key === undefined ? undefined : `${portfolio}/${key}`)],
  ['name', ({ name }) => name],
  ['requested_limit', ({ requested }) => requested],
  ['total_limit', ({ granted, named }) => granted ?? named],
  ['currency', ({ currency }) => currency],
  ['finding', ({ says }) => says],
  ['detail', ({ detail }) => detail],
  ['since', ({ sinceMs }) => (sinceMs === undefined ? undefined : new Date(sinceMs).toISOString())],
  ['rows', ({ rows = 1 }) => rows],
  ['mended', ({ isMended }) => (isMended ? 'yes' : 'no')],
  ['command', ({ command }) => (command === undefined ? undefined : `npx limitline ${command}`)],
];

/** Without a byte order mark, Excel reads the file in its own code page and garbles names. */
const BYTE_ORDER_MARK = '\ufeff';

/** The size of the chunks in which lines are written, in characters: one write per line would cost more than the line. */
const PIECE_CHARACTERS = 65_536;

/** Begins a night's file of all items: CSV in UTF-8, safe for spreadsheets. A failed write stops no check and is reported at the end. */
export function openItems(to: Writable) {
  let isBroken = false;
  const written = finished(to);
  const broken = written.catch(() => {
    isBroken = true;
  });
  let piece = BYTE_ORDER_MARK + plainTableLine(COLUMNS.map(([name]) => name));
  return {
    /** Adds an item. Answers a promise if the disk is slow. */
    add(item: FoundItem): void | Promise<void> {
      if (isBroken) return;
      piece += plainTableLine(COLUMNS.map(([, cell]) => cell(item) ?? ''));
      if (piece.length < PIECE_CHARACTERS) return;
      const isTaken = to.write(piece);
      piece = '';
      if (!isTaken) return Promise.race([once(to, 'drain').catch(() => {}), broken]).then(() => {});
    },
    /** @throws the error that stopped writing */
    async end(): Promise<void> {
      if (!isBroken) to.end(piece);
      await written;
    },
  };
}
