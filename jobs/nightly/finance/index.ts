import { join } from 'node:path';
import type { Settings } from '../../../src/config.ts';
import { ANY_DOCUMENT } from '../../../src/documents/folder.ts';
import type { Calls } from '../../../src/ledger/calls/calls.ts';
import type { MeaningStore } from '../../../src/ledger/counts/meaning-store.ts';
import type { Events } from '../../../src/ledger/events/events.ts';
import type { FoundItem, FoundSink } from '../../../src/ledger/nightly/checks.ts';
import { GIVEN_UP } from '../../../src/ledger/portfolios/portfolio.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import { rowIdOf, rowName } from '../../../src/ledger/schema/schema.ts';
import type { RowLists } from '../../../src/ledger/search/row-pages.ts';
import { adviceDates } from '../../../src/portfolio/lines/advice.ts';
import { openPortfolio } from '../../../src/portfolio/open-portfolio.ts';
import { visible } from '../../../src/portfolio/problem.ts';
import { DAY_MS, HOUR_MS } from '../../../src/time-units.ts';
import { type DraftStore, makeDraftStore } from '../../drafts/draft-store.ts';
import { fileOf } from '../../drafts/make-preview.ts';
import { makeBuyerStore } from '../../import/buyer-store.ts';
import { type RowCheck, rowItem } from '../walk-ledger.ts';
import { makeBuyersWithoutLimit, makeSeveralLimits } from './buyers-without-limit.ts';
import { type DayFile, dayImports, droppedFiles } from './days-files.ts';
import { findNamedByEvents } from './named-by-events.ts';
import { differingAnswer, eachRow, grantedBelow, longReview, otherStatus, statementsOf } from './row-checks.ts';
import { makeFailedRows, makePortfolioFacts, makeWaitingRows } from './unfinished-rows.ts';
import { importedFile, tellUnrequested, type UnrequestedDeps } from './unrequested-lines.ts';

export type FinanceDeps = Omit<UnrequestedDeps, 'signal'> & {
  calls: Pick<Calls, 'madeTwice' | 'sharedCompanies' | 'makersOf'>;
  statusMeanings: Pick<MeaningStore, 'read'>;
  events: Pick<Events, 'walk' | 'countSince' | 'totals'>;
  settings: Pick<Settings, 'LIMITLINE_DATA'> &
    Partial<Pick<Settings, 'LIMITLINE_INBOX' | 'REVIEW_DAYS' | 'ADVISE_STATEMENTS_ABOVE'>>;
};

/** Findings for finance, of one night. */
type FinanceChecks = {
  rowChecks: RowCheck[];
  /**
   * The checks that need no walk over the rows: things made twice, and lines of the day's files. They may run before, during or after the
   * walk.
   */
  run(): Promise<void>;
};

/**
 * All checks of kind `finance`. They mend and write nothing.
 *
 * @param night `atMs` is the time by which ages are judged; `signal` stops reading files (`STOPPED`)
 */
export async function makeFinanceChecks(
  deps: FinanceDeps,
  { sink, atMs, signal }: { sink: FoundSink; atMs: number; signal: AbortSignal },
): Promise<FinanceChecks> {
  const { rows, portfolios, imports } = deps;
  const { REVIEW_DAYS: reviewDays, ADVISE_STATEMENTS_ABOVE: above } = deps.settings;
  const sinceMs = dayBegan(atMs, (await portfolios.lastReconciled())?.atMs);
  const factsOf = makePortfolioFacts(portfolios);
  const { oldest } = adviceDates(new Date(atMs));
  const meanings = await deps.statusMeanings.read();
  const store = makeBuyerStore(deps);
  const drafts = makeDraftStore({ dir: join(deps.settings.LIMITLINE_DATA, 'drafts') });
  return {
    rowChecks: [
      eachRow(sink, (walked) => grantedBelow(walked, meanings)),
      eachRow(sink, (walked) => otherStatus(walked, meanings)),
      // This check needs a status that means under review. Without one, it would only look at the age of rows in vain.
      ...(reviewDays !== undefined && [...meanings.values()].includes('review')
        ? [eachRow(sink, (walked) => longReview(walked, { meanings, days: reviewDays, atMs }))]
        : []),
      eachRow(sink, differingAnswer),
      eachRow(sink, (walked) => statementsOf(walked, oldest, above)),
      makeSharedCompanies({ ...deps, sink }),
      makeFailedRows({ factsOf, rows, sink, atMs }),
      makeWaitingRows({ factsOf, rows, sink, sinceMs }),
      makeBuyersWithoutLimit({ rows, sink, atMs }),
      makeSeveralLimits({ rows, sink, meanings }),
      await findNamedByEvents(deps.events, { sink, sinceMs }),
    ],
    async run() {
      await findMadeTwice({ ...deps, sink });
      await findWithoutSupplier({ portfolios, sink });
      const lines = { rows, portfolios, store, sink };
      for await (const day of dayImports(sinceMs, portfolios))
        await tellUnrequested(await importedFile(day, { imports, rows, signal }), lines);
      for (const file of await refusedUploads(sinceMs, { drafts, signal })) await tellUnrequested(file, lines);
      const dropped = await droppedFiles(deps.settings.LIMITLINE_INBOX, { sinceMs, atMs, signal });
      for (const file of dropped) await tellUnrequested(file, lines);
    },
  };
}

/**
 * The time since which files count: since the last check, but at least a day, so that a check at noon takes nothing from the
 * night's. An hour more, because files arrived while that check ran.
 */
export function dayBegan(atMs: number, lastMs: number | undefined): number {
  return Math.min(lastMs ?? atMs, atMs - DAY_MS) - HOUR_MS;
}

type MadeTwiceDeps = { calls: Pick<Calls, 'madeTwice'>; rows: Pick<RowLists, 'read'>; sink: FoundSink };

/**
 * Reports things made twice at the service, which happens only after a call in doubt is sent again. The API has no call to
 * remove one: a person must ask the service.
 */
async function findMadeTwice({ calls, rows, sink }: MadeTwiceDeps): Promise<void> {
  for (const { kind, id, again, row: name } of await calls.madeTwice()) {
    const row = rowIdOf(name);
    const [result] = row ? await rows.read([row]) : [];
    const says = `a ${kind} was made twice: ${id} and ${again}`;
    const bare: FoundItem = {
      check: 'made twice',
      // A supplier has no row, and is reported with its portfolio's name.
      portfolio: name.split('/')[0] ?? '',
      says,
      detail: REMEDY,
      isMended: false,
    };
    await sink.found(row && result ? rowItem('made twice', { row, result }, says, { detail: REMEDY }) : bare);
  }
}

const REMEDY = 'ask the service to take one of them back';

type UploadedDeps = { drafts: Pick<DraftStore, 'list' | 'dirOf'>; signal: AbortSignal };

/**
 * Files that were submitted in the console, and whose import refused them as a whole since `sinceMs`; of several with one name in a
 * portfolio, the last. A file that nobody submitted was only looked at. One that was imported is checked as an import.
 */
async function refusedUploads(sinceMs: number, { drafts, signal }: UploadedDeps): Promise<DayFile[]> {
  const found = (await drafts.list())
    .flatMap((draft) => {
      const { atMs, faults } = draft.submitted?.ended ?? { atMs: 0, faults: [] };
      return faults.length > 0 && atMs >= sinceMs ? [{ draft, atMs }] : [];
    })
    .sort((one, other) => one.atMs - other.atMs);
  const last = new Map(found.map((one) => [JSON.stringify([one.draft.portfolio, one.draft.name]), one]));
  return [...last.values()].map(({ draft, atMs }) => ({
    portfolio: draft.portfolio,
    fileName: draft.name,
    atMs,
    later: new Set(),
    refusing: [],
    mended: new Set(),
    why: 'its file was submitted in the console and refused',
    unread: { says: 'a file was uploaded in the console that cannot be read', rows: 1 },
    open: (buyers) =>
      openPortfolio({
        ...draft.reading,
        ...fileOf(drafts.dirOf(draft.id), draft),
        documents: ANY_DOCUMENT,
        buyers,
        signal,
      }),
  }));
}

type SharedDeps = { calls: Pick<Calls, 'sharedCompanies' | 'makersOf'>; sink: FoundSink };

/** The most company ids from files that are remembered, in some 25 MB. Further ids are not compared. */
const MOST_GIVEN = 100_000;

/** How many ids one script looks up, which takes Redis a millisecond. */
const PAGE = 500;

type Given = { id: string; buyer: string; row: string };

/**
 * Finds companies that two buyers share: the service answered one id for both, two files gave the id, or a file gave an id that
 * was made for another buyer. A limit for one may then count for the other. A person knows whether they are the same.
 */
function makeSharedCompanies({ calls, sink }: SharedDeps): RowCheck {
  const given = new Map<string, Given>();

  const tell = (id: string, buyers: readonly string[], row: string) =>
    sink.found({
      check: 'shared company',
      portfolio: row.split('/')[0] ?? '',
      says: 'two buyers have one company: see whether they are the same',
      detail: `${id}, of the buyers ${buyers.join(' and ')}; the row ${row}`,
      isMended: false,
    });

  async function compareWithMade(page: readonly Given[]): Promise<void> {
    const makers = await calls.makersOf(page.map(({ id }) => ({ kind: 'company', id })));
    for (const [place, { id, buyer, row }] of page.entries()) {
      const maker = makers[place];
      if (maker && maker.key !== buyer) await tell(id, [maker.key, buyer], row);
    }
  }

  return {
    row({ row, result: { request } }) {
      const { companyId: id, buyer } = request;
      if (id === undefined) return undefined;
      const known = given.get(id);
      if (known && known.buyer !== buyer) return tell(id, [known.buyer, buyer], rowName(row));
      if (!known && given.size < MOST_GIVEN) given.set(id, { id, buyer, row: rowName(row) });
      return undefined;
    },

    async end() {
      for (const { id, buyers, row } of await calls.sharedCompanies()) await tell(id, buyers, row);
      const all = [...given.values()];
      for (let from = 0; from < all.length; from += PAGE) await compareWithMade(all.slice(from, from + PAGE));
    },
  };
}

type SupplierDeps = { portfolios: Pick<Portfolios, 'names' | 'read'>; sink: FoundSink };

/** Reports portfolios whose supplier has no company at the service. Their rows are sent all the same. */
async function findWithoutSupplier({ portfolios, sink }: SupplierDeps): Promise<void> {
  for (const portfolio of await portfolios.names()) {
    const { supplier } = await portfolios.read(portfolio);
    if (supplier?.problem === undefined || supplier.problem === GIVEN_UP) continue;
    await sink.found({
      check: 'no supplier',
      portfolio,
      says: 'no company was made for the supplier, and rows are sent without it',
      detail: visible(supplier.problem),
      isMended: false,
    });
  }
}
