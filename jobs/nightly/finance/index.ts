import { join } from 'node:path';
import type { DocumentStore } from '../../../src/documents/store.ts';
import type { Buyers } from '../../../src/ledger/buyers.ts';
import type { Calls } from '../../../src/ledger/calls.ts';
import type { Events } from '../../../src/ledger/events/events.ts';
import type { FoundItem, FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { Persist } from '../../../src/ledger/persist.ts';
import type { Portfolios } from '../../../src/ledger/portfolios.ts';
import type { Rows } from '../../../src/ledger/rows.ts';
import { adviceDates } from '../../../src/portfolio/lines/advice.ts';
import { makeDraftStore } from '../../drafts/draft-store.ts';
import { makeBuyerStore } from '../../import/buyer-store.ts';
import type { RowCheck, WalkedRow } from '../row-check.ts';
import { makeBuyersWithoutLimit } from './buyers-without-limit.ts';
import { droppedFiles } from './dropped-files.ts';
import { makeFailedRows } from './failed-rows.ts';
import { grantedBelow } from './granted-below.ts';
import { importedFiles } from './imported-files.ts';
import { findMadeTwice } from './made-twice.ts';
import { findNamedByEvents } from './named-by-events.ts';
import { answeredOtherwise, otherStatus } from './other-status.ts';
import { makePortfolioFacts } from './portfolio-facts.ts';
import { makeSharedCompanies } from './shared-companies.ts';
import { statementsOf } from './statements.ts';
import { tellUnrequested } from './unrequested-lines.ts';
import { uploadedFiles } from './uploaded-files.ts';
import { makeWaitingRows } from './waiting-rows.ts';

export type FinanceDeps = {
  rows: Rows;
  portfolios: Portfolios;
  calls: Pick<Calls, 'madeTwice' | 'sharedCompanies' | 'makersOf'>;
  buyers: Buyers;
  events: Pick<Events, 'walk' | 'countSince' | 'totals'>;
  imports: DocumentStore;
  persist: Persist;
  settings: { LIMITLINE_DATA: string; LIMITLINE_INBOX?: string | undefined };
};

/** What finance wants to know of, in one night. */
export type FinanceChecks = {
  /** Those that look at each row, in the one walk that there is. */
  rowChecks: RowCheck[];
  /** The others: things made twice, and the lines of the day's files. May be run before, beside or behind the walk. */
  run(): Promise<void>;
};

/**
 * All checks of kind `finance`. They mend nothing, and write nothing.
 *
 * @param night `atMs` is the date by which ages are judged; `signal` ends the reading of files (`STOPPED`)
 */
export async function makeFinanceChecks(
  deps: FinanceDeps,
  { sink, atMs, signal }: { sink: FoundSink; atMs: number; signal: AbortSignal },
): Promise<FinanceChecks> {
  const { rows, portfolios, imports } = deps;
  const sinceMs = dayBegan(atMs, (await portfolios.lastReconciled())?.atMs);
  const factsOf = makePortfolioFacts(portfolios);
  const { oldest } = adviceDates(new Date(atMs));
  const store = makeBuyerStore(deps);
  const drafts = makeDraftStore({ dir: join(deps.settings.LIMITLINE_DATA, 'drafts') });
  return {
    rowChecks: [
      eachRow(sink, grantedBelow),
      eachRow(sink, otherStatus),
      eachRow(sink, answeredOtherwise),
      eachRow(sink, (walked) => statementsOf(walked, oldest)),
      makeSharedCompanies({ ...deps, sink }),
      makeFailedRows({ factsOf, sink, atMs }),
      makeWaitingRows({ factsOf, rows, sink, sinceMs }),
      makeBuyersWithoutLimit({ rows, sink, atMs }),
      await findNamedByEvents(deps.events, { sink, sinceMs }),
    ],
    async run() {
      await findMadeTwice({ ...deps, sink });
      const lines = { rows, portfolios, store, sink };
      for await (const file of importedFiles(sinceMs, { portfolios, imports, signal }))
        await tellUnrequested(file, lines);
      for (const file of await uploadedFiles(sinceMs, { drafts, signal })) await tellUnrequested(file, lines);
      const dropped = await droppedFiles(deps.settings.LIMITLINE_INBOX, { sinceMs, atMs, signal });
      for (const file of dropped) await tellUnrequested(file, lines);
    },
  };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Whence the day's files are counted: since the check before, and for a day at least, so that one which somebody made at noon takes
 * nothing from the night's. An hour more, since files came in while that one looked.
 */
export function dayBegan(atMs: number, lastMs: number | undefined): number {
  return Math.min(lastMs ?? atMs, atMs - DAY_MS) - HOUR_MS;
}

/** A check that looks at one row alone. */
function eachRow(sink: FoundSink, check: (walked: WalkedRow) => FoundItem | undefined): RowCheck {
  return {
    row(walked) {
      const found = check(walked);
      return found && sink.found(found);
    },
  };
}
