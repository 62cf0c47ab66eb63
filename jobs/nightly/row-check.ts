import type { RowResult } from '../../src/ledger/row.ts';
import type { RowId } from '../../src/ledger/row-id.ts';

/** A row as the nightly check walks by it. What a check does not look at costs nothing: parts of `result` are read when they are asked for. */
export type WalkedRow = { row: RowId; result: RowResult };

/** A check that looks at each row of the account once, all of them in one walk. */
export type RowCheck = {
  /** Called for each row, those of a portfolio behind each other by state and line. It keeps little: there may be millions. */
  row: (walked: WalkedRow) => void | Promise<void>;
  /** Called behind the last row of each portfolio. */
  endPortfolio?: (portfolio: string) => void | Promise<void>;
  /** Called behind the last row of all. */
  end?: () => void | Promise<void>;
};
