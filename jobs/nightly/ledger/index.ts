import { join } from 'node:path';
import { type Forgetting, makeForgetting } from '../../../src/ledger/archive/forgetting.ts';
import type { BuyerLists } from '../../../src/ledger/nightly/buyer-lists.ts';
import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { Ask, StoredRow } from '../../../src/ledger/nightly/row-walk.ts';
import { makeWordMark } from '../../../src/ledger/nightly/search-marks.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import type { Buyers } from '../../../src/ledger/rows/buyers.ts';
import type { Stories } from '../../../src/ledger/rows/story.ts';
import { type ArchivedPortfolio, type Archives, findOldPortfolios } from '../../../src/ledger/schema/archives.ts';
import type { Keys, LedgerPlace } from '../../../src/ledger/schema/keys.ts';
import type { RowRequest } from '../../../src/ledger/schema/row.ts';
import { numbersOf } from '../../../src/ledger/search/index-words.ts';
import type { RedisConnection } from '../../../src/lua-script.ts';
import { numberWord } from '../../../src/portfolio/identity/identity.ts';
import { portfolioFolder, REST, ROWS } from '../../archive/archive-files.ts';
import { type ArchivePlace, isThere, lookAtArchive, missingArchives } from '../../archive/look-at-archive.ts';
import { namesInArchives } from '../../archive/named-digests.ts';
import { followLeft } from '../../archive/restore-portfolio.ts';
import { fromBuyer, toBuyer } from '../../rows/buyer-record.ts';
import { type RowCheck, rowFacts, type StoredRowCheck, type WalkDeps, walkLedger } from '../walk-ledger.ts';
import { checkArchives, type LookAtFiles, tellOfLostRecords } from './archives.ts';
import { compareFiles, type DocumentDeps, type FileDeps, isDataFolderOurs, makeDocumentCheck } from './documents.ts';
import { type KeptDeps, makeKeptCheck } from './kept-beside.ts';
import { type ClaimDeps, makeCallCheck, makeOldClaimCheck, type RowCheckDeps } from './rows-and-calls.ts';
import { makeRowsWithoutJob, removeStrayJobs } from './rows-and-jobs.ts';

export type LedgerCheckDeps = WalkDeps &
  KeptDeps &
  RowCheckDeps &
  ClaimDeps & {
    portfolios: Portfolios;
    stories: Pick<Stories, 'calls' | 'claims'>;
    buyerLists: BuyerLists;
    buyers: WordsDeps['buyers'];
    archives: Archives;
    ledger: RedisConnection;
    keys: Keys;
    account: string;
    /** Makes a sender of Redis commands for one run. It waits before each command while other clients are busy. */
    considerate: (signal: AbortSignal) => Ask;
    storedFiles: FileDeps['storedFiles'];
    storedDocuments: DocumentDeps['storedDocuments'];
    otherAccounts: () => Promise<(FileDeps['portfolios'] & WalkDeps & Archiving)[]>;
    settings: { SERVICE_TIMEOUT_MS: number; REDIS_URL?: string | undefined; LIMITLINE_DATA: string };
  };

type Archiving = { account: string; archives: Pick<Archives, 'list'> };

/**
 * The options of one run of the ledger's checks.
 *
 * @param lookAgainMs how long after a row was found to differ from its call the two are compared again: only then it is a finding
 */
type LedgerCheck = {
  sink: FoundSink;
  rowChecks?: readonly RowCheck[];
  signal: AbortSignal;
  /** The scheduled time of the night. */
  atMs?: number;
  lookAgainMs?: number;
};

/** How much was checked, and notes on what could not be compared on this host, which is no finding. */
type LedgerChecked = { rows: number; portfolios: number; notes: string[] };

/**
 * Runs all checks of kind `ledger`: compares counts and indexes, queues, calls, buyers' lists, files and documents with the rows, and mends
 * what is certain. Other checks of rows join the same walk as `rowChecks`. After a crash, the run is simply repeated.
 *
 * @throws the signal's reason when it is aborted
 */
export async function checkLedger(deps: LedgerCheckDeps, how: LedgerCheck): Promise<LedgerChecked> {
  try {
    return await checkAll(deps, how);
  } catch (error) {
    // An aborted timer throws its own error; the signal's reason is wanted.
    how.signal.throwIfAborted();
    throw error;
  }
}

async function checkAll(deps: LedgerCheckDeps, how: LedgerCheck): Promise<LedgerChecked> {
  const { sink, rowChecks = [], signal } = how;
  const ask = deps.considerate(signal);
  await followLeft(deps);
  const files = {
    portfolios: deps.portfolios,
    others: deps.otherAccounts,
    storedFiles: deps.storedFiles,
    inArchives: inArchives(REST, deps, signal),
    isOwnRedis: deps.settings.REDIS_URL === undefined,
  };
  // Archived portfolios are read before the others, so that one that leaves meanwhile is in at least one of the two lists.
  const { archived } = await findOldPortfolios({ connection: deps.ledger, keys: deps.keys }, 0);
  const place = { account: deps.account, dataDir: deps.settings.LIMITLINE_DATA };
  const isOurs = await isDataFolderOurs({ ...files, archives: areThere(archived, place) });
  const stored = storedChecks(deps, { ...how, ask });
  if (isOurs) {
    const documents = {
      storedDocuments: deps.storedDocuments,
      inArchives: inArchives(ROWS, deps, signal),
      others: deps.otherAccounts,
    };
    stored.push(await makeDocumentCheck(documents, { sink, signal }));
  }
  const listed = await deps.portfolios.compareHeld(await deps.portfolios.names());
  if (listed > 0) {
    await sink.found({ check: 'indexes', portfolio: '', says: HELD_LISTED, rows: listed, isMended: true });
  }
  const ledger = { connection: deps.ledger, keys: deps.keys };
  await checkBuyerWords({ buyers: deps.buyers, forgetting: makeForgetting(ledger), ledger }, { sink, ask, signal });
  await tellOfLostRecords(deps.archives, sink, (portfolio) => portfolioFolder({ ...place, portfolio }));
  const walked = await walkLedger(deps, { stored, rows: rowChecks, signal, ask });
  await removeStrayJobs(deps, { sink, ask, signal });
  if (isOurs) await compareFiles(files, { sink, signal });
  const lookAt: LookAtFiles = (one, reading) => lookAtArchive(one, place, reading);
  await checkArchives(archived, isOurs ? lookAt : undefined, { sink, atMs: how.atMs ?? Date.now(), signal });
  return { ...walked, notes: isOurs ? [] : [ELSEWHERE] };
}

/** The checks that see how rows are stored, in their order: indexes are mended before the check of jobs, which relies on them. */
function storedChecks(
  deps: LedgerCheckDeps,
  { sink, ask, signal, lookAgainMs }: LedgerCheck & { ask: Ask },
): StoredRowCheck[] {
  const mended = new Set<string>();
  return [
    makeKeptCheck(deps, { sink, ask, mended: (portfolio) => mended.add(portfolio) }),
    makeRowsWithoutJob(deps, { sink, ask, wasMended: (portfolio) => mended.has(portfolio) }),
    makeCallCheck(deps, { sink, ask, signal, ...(lookAgainMs !== undefined && { lookAgainMs }) }),
    makeOldClaimCheck(deps, { sink, ask, signal, timeoutMs: deps.settings.SERVICE_TIMEOUT_MS }),
    makeBuyerListCheck(deps.buyerLists, { sink, ask }),
  ];
}

/** Calls `onName` with each digest that `file` of the archives of all accounts names. Answers false if one is missing or unreadable. */
function inArchives(file: string, deps: LedgerCheckDeps, signal: AbortSignal) {
  const dataDir = deps.settings.LIMITLINE_DATA;
  return async (onName: (sha256: string) => boolean) => {
    const isWhole = await namesInArchives({ dir: join(dataDir, 'archive'), file, signal }, onName);
    for (const account of [deps, ...(await deps.otherAccounts())]) {
      if ((await missingArchives(account, dataDir)).length > 0) return false;
    }
    return isWhole;
  };
}

async function* areThere(archived: readonly ArchivedPortfolio[], place: ArchivePlace): AsyncGenerator<boolean> {
  for (const one of archived) if (one.is === 'archived') yield isThere(one, place);
}

const HELD_LISTED = 'the list of held rows did not match the rows; it does now';
const ELSEWHERE =
  'Files, documents and archives were not compared: none of the imported files are in the data folder of this host. Run limitline reconcile on the host that has them.';

/**
 * How many buyers that were checked lately are remembered. Rows of one buyer are usually near each other, so this saves most repeated
 * reads.
 */
const MOST_REMEMBERED = 10_000;

/**
 * Compares buyers' lists (`bl_…`) with the limits that were made: missing limits are added, duplicates removed. Unknown limits
 * are left, because another ledger may know them.
 */
function makeBuyerListCheck(buyerLists: BuyerLists, { sink, ask }: { sink: FoundSink; ask: Ask }): StoredRowCheck {
  const seen = new Set<string>();

  async function look({ row, field, result }: StoredRow, list: readonly string[]): Promise<void> {
    const { buyer, name } = result.request;
    const id = result.limitId;
    if (field('state') === 'done' && !list.includes(id) && (await ask(() => buyerLists.add(row, { buyer, id })))) {
      await sink.found({ check: 'buyer lists', says: LACKED, detail: id, isMended: true, ...rowFacts(row, result) });
    }
    if (seen.has(buyer)) return;
    if (seen.size >= MOST_REMEMBERED) seen.clear();
    seen.add(buyer);
    const { twice, unknown } = await ask(() => buyerLists.look(buyer));
    for (const detail of twice) {
      await sink.found({ check: 'buyer lists', portfolio: '', name, says: TWICE, detail, isMended: true });
    }
    for (const detail of unknown) {
      await sink.found({ check: 'buyer lists', portfolio: '', name, says: UNKNOWN, detail, isMended: false });
    }
  }

  return { row: (walked) => walked.odd?.list && look(walked, walked.odd.list) };
}

const LACKED = "limits that were made were not in their buyers' lists; they are now";
const TWICE = "limits stood in their buyers' lists more than once; they are there once now";
const UNKNOWN = "buyers' lists name limits that none of their rows was granted";

type WordsDeps = {
  buyers: Pick<Buyers, 'pages' | 'addWords' | 'removeWords'>;
  forgetting: Pick<Forgetting, 'requestsOf' | 'writeBuyers'>;
  ledger: LedgerPlace;
};

/**
 * Compares the search words of all buyers with the buyers' records, and mends them. Records that older versions wrote get their words. Both
 * are read once, and each word is compared by itself only if they differ: that takes Redis twenty times as long.
 */
async function checkBuyerWords(
  { buyers, forgetting, ledger }: WordsDeps,
  { sink, ask, signal }: { sink: FoundSink; ask: Ask; signal: AbortSignal },
): Promise<void> {
  const mark = makeWordMark();
  const pages = async function* () {
    const all = buyers.pages();
    for (let page = await ask(() => all.next()); !page.done; page = await ask(() => all.next())) {
      signal.throwIfAborted();
      yield page.value;
    }
  };
  for await (const page of pages()) {
    const former = page.filter(({ record }) => !record.includes('"w":"'));
    const left = await Promise.all(former.map(async (one) => ({ ...one, left: await withWords(one, forgetting) })));
    await ask(() => forgetting.writeBuyers(left));
    for (const buyer of page) mark.add(buyer);
  }
  if (await mark.isThat({ ...ledger, ask })) return;
  let [wrong, missing] = [0, 0];
  for (let leaf: string | null = ''; leaf !== null; ) {
    signal.throwIfAborted();
    const place: string = leaf;
    const [removed, next] = await ask(() => buyers.removeWords(place));
    wrong += removed;
    leaf = next ?? null;
  }
  for await (const page of pages()) missing += await ask(() => buyers.addWords(page.map(({ key }) => key)));
  for (const [says, rows] of [
    [WRONG, wrong],
    [MISSING, missing],
  ] as const) {
    if (rows > 0) await sink.found({ check: 'indexes', portfolio: '', says, rows, isMended: true });
  }
}

const WRONG = 'buyers were found by words that they do not have; this is corrected';
const MISSING = 'buyers were not found by all of their words; this is corrected';

/** A buyer's record of an older version, completed for search by the numbers of some of the buyer's rows. */
async function withWords({ key, record }: { key: string; record: string }, { requestsOf }: WordsDeps['forgetting']) {
  const numbers = new Set<string>();
  for await (const page of requestsOf(key)) {
    for (const { request } of page) {
      for (const number of request ? numbersOf((JSON.parse(request) as RowRequest).limit) : []) {
        numbers.add(numberWord(number));
      }
    }
    break;
  }
  return fromBuyer({ ...toBuyer(key, record), numbers: [...numbers] });
}
