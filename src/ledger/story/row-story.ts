import type { CallKind } from '../../call-kind.ts';
import type { HostedSession } from '../calls/sessions.ts';
import type { AmountIn } from '../counts/outcome-sums.ts';
import type { KeptEvent } from '../events/kept-event.ts';
import type { FaultyLine } from '../portfolios/faulty-lines.ts';
import type { KnownImport } from '../portfolios/imports.ts';
import type { PortfolioState } from '../portfolios/portfolio.ts';
import type { BuyerRow, BuyerRows } from '../rows/buyer-rows.ts';
import type { HeldRow, KnownCall, StoryEntry } from '../rows/story.ts';
import type { Approval } from '../schema/approval.ts';
import type { ArchiveStateName } from '../schema/archives.ts';
import type { RowRequest, RowResult, Step } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';

/** One of a row's calls: its content, and what the ledger knows of it. */
export type StoryCall = {
  step: Step;
  kind: CallKind;
  /** The thing that the call makes, such as "the document balance.pdf". */
  what: string;
  /** The content in readable form; without ids that other calls have not made yet. */
  sent: string;
  /** The ledger's knowledge of the call; undefined if the call was never claimed, or was refused. */
  known: KnownCall | undefined;
  /** Another row for which the call was sent, if any: rows share companies and documents. */
  madeFor: string | undefined;
};

/** An event of the service that names the row, and the ids by which it does. */
export type NamingEvent = Pick<KeptEvent, 'id' | 'firstMs' | 'lastMs' | 'times' | 'sizeBytes' | 'became'> & {
  names: string[];
};

/** Another request of the buyer; `answered` is undefined where its row is archived. */
type RequestBeside = BuyerRow & {
  answered: Pick<RowResult, 'state' | 'record' | 'request'> | undefined;
  /** The currency that its file names. */
  currency: string | undefined;
};

/** Everything known of one row, and the supplier of its portfolio. */
export type RowStory = {
  row: RowId;
  result: RowResult;
  /** All imports of the portfolio, by their numbers. */
  imports: ReadonlyMap<string, KnownImport>;
  /** How many imports of the portfolio were begun, repeated files included. */
  begun: number;
  calls: StoryCall[];
  /** The row's unusual events, oldest first. */
  entries: StoryEntry[];
  /** The approval of the import that brought the row in, as far as it is known. The answer to it is not among the row's `entries`. */
  approved: Pick<Approval, 'id' | 'standing' | 'importId' | 'answered'> | undefined;
  /** Ids of the buyer's limits, the oldest first, at most some hundred. */
  buyerLimits: string[];
  /** The service's events that name an id of the row, the latest first, at most some fifty. */
  events: NamingEvent[];
  /** Other requests of the same buyer, in any portfolio. */
  others: Omit<BuyerRows, 'rows'> & { rows: readonly RequestBeside[] };
  /** Hosted sessions of its limit, the latest first. */
  sessions: HostedSession[];
  /** Who last gave up the portfolio's open rows, and when. */
  givenUp: { by: string; atMs: number } | undefined;
} & Pick<PortfolioState, 'supplier' | 'supplierAwaits'>;

/** A cell of a line, the header of its column, and the known column for which that header was taken. */
type LineCell = { column: string; meaning: string | null; cell: string };

/** A line as it is in its file; or why it cannot be shown. */
export type LineOfRow =
  | { is: 'read'; cells: LineCell[] }
  /** The file is long, and the line was not reached in time. */
  | { is: 'far' }
  /** The copy of the file is gone, or has no such line. */
  | { is: 'gone' };

/** A row's history and its line, for a page. */
export type ToldRow = { story: RowStory; line: LineOfRow };

/** A held row: what was sent, when, and what came instead of a response. */
export type HeldItem = {
  row: RowId;
  /** When the row was held, in ms; held rows are listed in this order. */
  atMs: number;
  line: number;
  /** File name and number of the import: `q4.csv #2`. */
  import: string;
  name: string;
  /** Requested limit, decimal text, and the currency of its file, if that names one. */
  amount: string;
  currency: string | undefined;
  step: Step;
  kind: CallKind;
  /** The call of the step that is in doubt, such as a document's name; '' if the step has only one call. */
  which: string;
  /** When the call left, in ms, if known. */
  sentMs: number | undefined;
  heard: string;
  /** What was sent, its first 2,000 characters. */
  sent: string;
  /** The other row for which the call was sent, if that asks for something else. */
  sentFor: string | undefined;
  /** The row's request. `heard` may repeat parts of it, which are masked for people who may not see the whole request. */
  request: RowRequest;
  /** Whether the call is no longer in doubt: a worker lets the row go on within seconds. */
  isKnown: boolean;
};

/** All held rows of a portfolio or the account: how many, the sums of the first {@link HeldSummary.summed}, and since when the oldest is. */
export type HeldSummary = { total: number; sums: AmountIn[]; summed: number; oldestMs: number | undefined };

/** Some of the held rows, the oldest first; `next` is where the following page begins. */
export type HeldPage = HeldSummary & { items: HeldItem[]; next: HeldRow | undefined };

export type BuyerRequest = {
  row: RowId;
  /** The requested limit, decimal text. */
  amount: string;
  /** The currency that the request's file names; of an archived row the one that all files of its portfolio name. */
  currency: string | undefined;
  /** The row; undefined if its portfolio is archived. */
  result: RowResult | undefined;
  /** The outcome of the request, also for an archived row whose limit was made. */
  outcome: (Pick<RowResult, 'state' | 'record' | 'request' | 'limitId'> & { replaced?: boolean }) | undefined;
  archived: ArchiveStateName | undefined;
  /** When the row changed last, or the call of an archived row was sent, in ms. */
  atMs: number | undefined;
  /** The decisions of the service that came after its first answer, the oldest first. */
  decisions: Extract<StoryEntry, { is: 'decided' }>[];
};

/** A buyer, and some of its requests, the newest portfolios first. `count`: number of its requests; a lower bound unless `isWhole`. */
export type BuyerLook = {
  key: string;
  /** The main name first; none of a forgotten buyer. */
  names: { name: string }[];
  reference: string;
  count: number;
  isWhole: boolean;
  requests: BuyerRequest[];
};

/**
 * A buyer with the id of the company that was made for it, '' for none. `summed`: the buyer's requests whose amounts are added up, the newest
 * portfolios first.
 */
export type BuyerStory = BuyerLook & { companyId: string; summed: readonly BuyerRequest[] };

/** A page of found buyers. `gone`: rows that the text names, which only an archive has. `next`: the cursor of the next page. */
export type FoundBuyers = { buyers: BuyerLook[]; gone: BuyerRequest[]; next: string | undefined };

/** Faulty lines of the newest portfolios. `unread`: those of these portfolios with too many faulty lines to search. */
export type FoundLines = { lines: (FaultyLine & { portfolio: string; line: number })[]; unread: string[] };
