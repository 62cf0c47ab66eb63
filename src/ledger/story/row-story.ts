import type { CallKind } from '../../call-kind.ts';
import type { KeptEvent } from '../events/kept-event.ts';
import type { KnownImport } from '../portfolios/imports.ts';
import type { BuyerRows } from '../rows/buyer-rows.ts';
import type { HeldRow, KnownCall, StoryEntry } from '../rows/story.ts';
import type { RowRequest, RowResult, Step } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';

/** One of a row's calls: what it sends or has sent, and what the ledger knows of it. */
export type StoryCall = {
  step: Step;
  kind: CallKind;
  /** What it makes, such as "the document balance.pdf". */
  what: string;
  /** What is sent, as a person reads it. Of a call that waits for ids of others, as far as it is known. */
  sent: string;
  /** Nothing where it was never claimed, or was refused. */
  known: KnownCall | undefined;
  /** The row for which it was sent, where that is another: rows share companies and documents. */
  madeFor: string | undefined;
};

/** An event of the service that names the row, and by which of its ids. It changed nothing: nothing is believed of events. */
export type NamingEvent = Pick<KeptEvent, 'id' | 'firstMs' | 'lastMs' | 'times' | 'sizeBytes'> & { names: string[] };

/** All that is known of one row. */
export type RowStory = {
  row: RowId;
  result: RowResult;
  /** The import that had its line last, and all others, by their numbers. */
  imports: ReadonlyMap<string, KnownImport>;
  /** How many imports of the portfolio were begun: more than there are files where one came several times. */
  begun: number;
  calls: StoryCall[];
  /** What happened to it out of the ordinary, oldest first. */
  entries: StoryEntry[];
  /** Ids of the buyer's limits, the oldest first, some hundred at the most. */
  buyerLimits: string[];
  /** Events of the service in which an id of the row stands, the latest first, some fifty at the most. */
  events: NamingEvent[];
  /** Other requests of the same buyer, in any portfolio. */
  others: BuyerRows;
  /** Who gave up the open rows of the portfolio last, and when. */
  givenUp: { by: string; atMs: number } | undefined;
};

/** A cell of a file's line under its column, with what the column was taken for. */
export type LineCell = { column: string; meaning: string | null; cell: string };

/** A line as it stands in its file; or why it cannot be shown. */
export type LineOfRow =
  | { is: 'read'; cells: LineCell[] }
  /** The file is long, and the line was not reached in time. */
  | { is: 'far' }
  /** The copy is gone, or has no such line. */
  | { is: 'gone' };

/** A row's story and its line, as a page tells them. */
export type ToldRow = { story: RowStory; line: LineOfRow };

/** A held row: what was sent, when, and what was heard of it. */
export type HeldItem = {
  row: RowId;
  /** When it was held, in ms: the order of the desk. */
  atMs: number;
  line: number;
  /** `q4.csv #2`. */
  import: string;
  name: string;
  /** Requested limit, decimal text. */
  amount: string;
  step: Step;
  kind: CallKind;
  /** Which of the step's calls is in doubt, such as a document's name; '' where there is one only. */
  which: string;
  /** When the call left, in ms, where that is known. */
  sentMs: number | undefined;
  heard: string;
  /** What was sent, its first 2,000 characters. */
  sent: string;
  /** The words of its row, which `heard` may repeat: for whoever is not to see all of them. */
  request: RowRequest;
  /** Whether the call is in doubt no longer: a worker lets the row go on within seconds. */
  isKnown: boolean;
};

/** Some of the held rows, the oldest first; `next` is what the page behind them begins with. */
export type HeldPage = { items: HeldItem[]; total: number; next: HeldRow | undefined };
