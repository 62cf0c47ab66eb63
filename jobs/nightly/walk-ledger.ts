import type { CheckName, FoundItem } from '../../src/ledger/nightly/checks.ts';
import { type Ask, type RowWalks, type StoredRow, WALKED_STATES } from '../../src/ledger/nightly/row-walk.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Archives } from '../../src/ledger/schema/archives.ts';
import type { RowResult, RowState } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { DAY_MS } from '../../src/time-units.ts';

export type WalkDeps = {
  portfolios: Pick<Portfolios, 'names'>;
  walkRows: RowWalks;
  /** Tells which portfolios are leaving Redis. */
  archives?: Pick<Archives, 'read'>;
};

/** A row during the nightly check. Parts of `result` are parsed when they are read, so unused ones cost nothing. */
export type WalkedRow = { row: RowId; result: RowResult };

/** A check of all rows of the account. All checks share one walk, which may meet a row twice if it changes its state meanwhile. */
export type RowCheck = {
  /** Called for each row, ordered by portfolio, state and line. May keep little per row, because there may be millions. */
  row: (walked: WalkedRow) => void | Promise<void>;
  /** Called after the last row of each portfolio. */
  endPortfolio?: (portfolio: string) => void | Promise<void>;
  /** Called after the last row. */
  end?: () => void | Promise<void>;
};

/** A check that also sees how a row is stored, and which calls and lists contradict it (`odd`). */
export type StoredRowCheck = {
  beginPortfolio?: (portfolio: string) => void | Promise<void>;
  /** Called for each member of a state's index. Its row may have another state, or not exist. */
  row: (walked: StoredRow, state: RowState) => void | Promise<void>;
  endPortfolio?: (portfolio: string) => void | Promise<void>;
  end?: () => void | Promise<void>;
  /** The check mends nothing. So it also sees rows of portfolios that are being archived, which nobody may change. */
  onlyLooks?: true;
};

type WalkChecks = {
  stored?: readonly StoredRowCheck[];
  /** Checks that see existing rows. */
  rows?: readonly RowCheck[];
  /** Stops the walk between two pages. */
  signal: AbortSignal;
  /** Sends a command to Redis after the commands of other clients. */
  ask?: Ask;
};

/**
 * Shows all rows of the account to all checks, portfolio by portfolio. Imports and workers may change rows meanwhile. A row
 * that exists all the time comes at least once. A row that changes its state may come twice, with its state at that time.
 * A row that is missing from all indexes by state does not come: another check restores it.
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

/** The facts about a row that an item of a report states: never more than the company and the amount. */
export function rowFacts(row: RowId, { line, request }: Pick<RowResult, 'line' | 'request'>) {
  return { portfolio: row.portfolio, key: row.key, line, name: request.name, requested: request.limit.requested_limit };
}

/**
 * A finding about a row, without anything mended.
 *
 * @param says a sentence that is the same for all rows with this finding, so that reports can group them
 */
export function rowItem(
  check: CheckName,
  { row, result }: WalkedRow,
  says: string,
  more: Pick<FoundItem, 'granted' | 'named' | 'detail' | 'sinceMs' | 'command'> = {},
): FoundItem {
  return { check, ...rowFacts(row, result), says, isMended: false, ...more };
}

/** A portfolio's name for a shell. Names have only letters, digits, `. _ -` and spaces. */
export function quoted(portfolio: string): string {
  return portfolio.includes(' ') ? `"${portfolio}"` : portfolio;
}

/** A command for one row, without `limitline`, naming the row by its line. */
export function commandFor(
  command: 'retry' | 'resolve',
  { portfolio }: Pick<RowId, 'portfolio'>,
  { line }: Pick<RowResult, 'line'>,
  options: readonly string[] = [],
): string {
  return [command, quoted(portfolio), ...options, '--line', line].join(' ');
}

/**
 * The option that names a row: by line if the row is of the last import, else by key, because imports share line numbers.
 *
 * @param lastImport number of the last import
 */
export function rowOption({ row, result }: WalkedRow, lastImport: string): string {
  return result.importId === lastImport ? `--line ${result.line}` : `--row ${row.key}`;
}

/** The texts for ages, each with the age in ms from which it is used, the longest first. A month is 30 days. */
const AGES = [
  [365 * DAY_MS, 'for more than a year'],
  [30 * DAY_MS, 'for more than a month'],
  [7 * DAY_MS, 'for more than a week'],
  [DAY_MS, 'for more than a day'],
] as const;

/** An age as a text that many rows share. A negative age, after a clock was set back, counts as short. */
export function ageWords(ageMs: number): string {
  return AGES.find(([from]) => ageMs >= from)?.[1] ?? 'for less than a day';
}

/** Shows a page to the checks; answers its number of rows. Most checks return no promise: awaiting those would slow down the walk. */
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
