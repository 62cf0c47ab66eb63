import { type Ask, type RowWalks, type StoredRow, WALKED_STATES } from '../../src/ledger/nightly/row-walk.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Archives } from '../../src/ledger/schema/archives.ts';
import type { RowResult, RowState } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';

export type WalkDeps = {
  portfolios: Pick<Portfolios, 'names'>;
  walkRows: RowWalks;
  /** Where it is known which portfolios are on their way out of Redis. */
  archives?: Pick<Archives, 'read'>;
};

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

/** A check that looks at what is stored of a row, and not only at what it means. */
export type StoredRowCheck = {
  /** Called before the first row of each portfolio. */
  beginPortfolio?: (portfolio: string) => void | Promise<void>;
  /** Called for each member of the index of a state: a row that it names may be in another, or not be there at all. */
  row: (walked: StoredRow, state: RowState) => void | Promise<void>;
  endPortfolio?: (portfolio: string) => void | Promise<void>;
  end?: () => void | Promise<void>;
  /** It mends nothing, and is shown rows of portfolios that are being archived, too: nobody may change those. */
  onlyLooks?: true;
};

type WalkChecks = {
  /** Look at what is stored. */
  stored?: readonly StoredRowCheck[];
  /** Look at rows that are there. */
  rows?: readonly RowCheck[];
  /** Ends the walk between two pages; what was shown until then stays shown. */
  signal: AbortSignal;
  /** Asks Redis, and lets others go first. */
  ask?: Ask;
};

/**
 * Goes once over all rows of the account, portfolio by portfolio, and shows each to all checks, while anybody may import, work and
 * mend. A row that is there all the time comes at least once, whatever becomes of it meanwhile; one that goes on may come twice, the
 * second time as it is then. Rows that stand in no index of a state are not met: the ledger's own check brings those back.
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

/** Answers how many rows there were. Most checks answer at once: of a million rows few are waited for. */
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
