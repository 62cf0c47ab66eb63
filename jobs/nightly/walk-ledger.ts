import { type Ask, type RowWalks, type StoredRow, WALKED_STATES } from '../../src/ledger/nightly/row-walk.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Archives } from '../../src/ledger/schema/archives.ts';
import type { RowResult, RowState } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';

export type WalkDeps = {
  portfolios: Pick<Portfolios, 'names'>;
  walkRows: RowWalks;
  /** Which portfolios are being archived. */
  archives?: Pick<Archives, 'read'>;
};

/** A row as the walk shows it to the checks. A part of `result` is read only when a check asks for it. */
export type WalkedRow = { row: RowId; result: RowResult };

/** A check that sees each row of the account once. All checks share one walk. */
export type RowCheck = {
  /** Called for each row; within a portfolio, by state and line. A check should keep little in memory: there may be millions of rows. */
  row: (walked: WalkedRow) => void | Promise<void>;
  /** Called after the last row of each portfolio. */
  endPortfolio?: (portfolio: string) => void | Promise<void>;
  /** Called after the last row of all. */
  end?: () => void | Promise<void>;
};

/** A check of how a row is stored, not only of what it means. */
export type StoredRowCheck = {
  /** Called before the first row of each portfolio. */
  beginPortfolio?: (portfolio: string) => void | Promise<void>;
  /** Called for each row that the index of a state names. The row may be in another state, or missing. */
  row: (walked: StoredRow, state: RowState) => void | Promise<void>;
  endPortfolio?: (portfolio: string) => void | Promise<void>;
  end?: () => void | Promise<void>;
  /** This check changes nothing. It also sees portfolios that are being archived, which must not be changed. */
  onlyLooks?: true;
};

type WalkChecks = {
  /** Checks of how rows are stored. */
  stored?: readonly StoredRowCheck[];
  /** Checks of rows. */
  rows?: readonly RowCheck[];
  /** Stops the walk between two pages. Rows already shown stay shown. */
  signal: AbortSignal;
  /** Asks Redis in a way that lets other commands go first. */
  ask?: Ask;
};

/**
 * Walks over all rows of the account, portfolio by portfolio, and shows each row to all checks. Imports, workers and corrections may go on
 * meanwhile. A row that exists all the time is shown at least once. A row whose state changes may be shown again in its new state. Rows
 * that no index of a state names are not shown: the ledger's own check restores those.
 *
 * @throws the signal's reason when it is aborted
 */
export async function walkLedger(
  { portfolios, walkRows, archives }: WalkDeps,
  { stored = [], rows = [], signal, ask }: WalkChecks,
): Promise<{ rows: number; portfolios: number }> {
  const all = { stored, rows };
  const leaving = { stored: stored.filter(({ onlyLooks }) => onlyLooks), rows: [] };
  const names = await portfolios.names();
  let count = 0;
  for (const portfolio of names) {
    const shown = (await archives?.read(portfolio)) ? leaving : all;
    for (const { beginPortfolio } of shown.stored) await beginPortfolio?.(portfolio);
    for (const state of WALKED_STATES) {
      for await (const page of walkRows({ portfolio, state, withCalls: stored.length > 0, ...(ask && { ask }) })) {
        signal.throwIfAborted();
        count += await showPage(page, state, shown);
      }
    }
    for (const { endPortfolio } of [...shown.stored, ...shown.rows]) await endPortfolio?.(portfolio);
  }
  for (const { end } of [...stored, ...rows]) await end?.();
  return { rows: count, portfolios: names.length };
}

/** Returns how many rows the page had. Most checks return at once, and only the others are awaited. */
async function showPage(
  page: Iterable<StoredRow>,
  state: RowState,
  { stored, rows }: Required<Pick<WalkChecks, 'stored' | 'rows'>>,
): Promise<number> {
  let count = 0;
  for (const walked of page) {
    count += 1;
    for (const check of stored) {
      const looked = check.row(walked, state);
      if (looked) await looked;
    }
    if (walked.field('state') === '' || walked.field('request') === '') continue;
    for (const check of rows) {
      const looked = check.row(walked);
      if (looked) await looked;
    }
  }
  return count;
}
