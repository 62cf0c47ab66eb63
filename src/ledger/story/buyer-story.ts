import type { FaultyLine } from '../portfolios/faulty-lines.ts';
import type { StoryEntry } from '../rows/story.ts';
import type { ArchiveStateName } from '../schema/archives.ts';
import type { RowResult } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';

export type BuyerRequest = {
  row: RowId;
  /** The requested limit, decimal text. */
  amount: string;
  /** The currency that the request's file names; undefined for an archived row. */
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
