/** An event as it arrived, which is to be kept: its bytes, and the headers that came with them. */
export type NewEvent = { body: Buffer; headers: Readonly<Record<string, string | string[]>> };

/** What became of it: see {@link import('./keep-events.ts').makeKeepEvents}. */
export type KeptAs = 'kept' | 'known' | 'full';

/** What is known of an event that is kept, less its content. Times are ms of Redis' clock. */
export type KeptEvent = {
  /** Names its content: the first 22 characters of the body's SHA-256, base64url. */
  id: string;
  firstMs: number;
  /** When the same content came last; `firstMs` where it came once. */
  lastMs: number;
  /** How often it came. */
  times: number;
  /** Of the body. */
  sizeBytes: number;
  /** What in it may be an id (event-ids.ts), and how many more there were. */
  ids: string[];
  moreIds: number;
};

/** An event with its content, as it came. */
export type RawEvent = KeptEvent & { body: Buffer; headers: Record<string, string | string[]> };

/** What is kept altogether. `full` counts those that were not taken, and `fullMs` is when the last of them came. */
export type EventTotals = { events: number; bytes: number; full: number; fullMs: number | undefined };
