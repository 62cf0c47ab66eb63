import type { CallKind } from '../../call-kind.ts';
import type { HeldRow } from '../rows/story.ts';
import type { RowRequest, Step } from '../schema/row.ts';
import type { RowId } from '../schema/row-id.ts';

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
