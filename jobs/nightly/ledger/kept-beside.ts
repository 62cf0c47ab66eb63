import type { Approvals } from '../../../src/ledger/approvals/approvals.ts';
import type { Calls } from '../../../src/ledger/calls/calls.ts';
import type { MendedDifference } from '../../../src/ledger/comparison/row-comparison.ts';
import type { CheckName, FoundItem, FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { CompareIdle, IdleComparison } from '../../../src/ledger/nightly/idle-comparison.ts';
import type { Ask } from '../../../src/ledger/nightly/row-walk.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import { proofOf } from '../../../src/ledger/portfolios/proof.ts';
import type { Rows } from '../../../src/ledger/rows/rows.ts';
import { rowsIn, UNFINISHED_STATES } from '../../../src/ledger/schema/row.ts';
import { rowFacts, type StoredRowCheck } from '../walk-ledger.ts';

export type KeptDeps = {
  portfolios: Pick<Portfolios, 'compare' | 'read' | 'sweepImports'>;
  rows: Pick<Rows, 'gone' | 'isSearched' | 'read'>;
  calls: Pick<Calls, 'madeId'>;
  approvals: Pick<Approvals, 'compare' | 'read'>;
  compareIdle: CompareIdle;
};

/**
 * Compares counts, sums and indexes (state, cause, approval, search) with the rows, and mends them. A portfolio at rest is
 * compared during the walk. Only if it differs or moves do scripts check and mend each row. Counts of imported rows and made
 * limits are never mended: missing rows are named.
 *
 * @param mended called for portfolios whose indexes may have changed
 */
export function makeKeptCheck(
  { portfolios, rows, calls, approvals, compareIdle }: KeptDeps,
  { sink, ask, mended }: { sink: FoundSink; ask: Ask; mended: (portfolio: string) => void },
): StoredRowCheck {
  let look: IdleComparison | undefined;
  /** How many rows wait for each approval, by the approval's id. */
  const waiting = new Map<string, number>();
  /** The lines of rows that an index contains but that do not exist, by row key. */
  const lost = new Map<string, number>();

  async function compareExactly(portfolio: string): Promise<void> {
    const named = makeNamedRows();
    for (const difference of await portfolios.compare([portfolio], ({ is, key }) => named.add(is, key))) {
      mended(portfolio);
      const { check, says } = wordsOf(difference);
      await tellRows(
        { check, portfolio, says, rows: difference.rows, keys: named.of(difference.is), isMended: true },
        { sink, ledger: rows },
      );
    }
  }

  async function tellOfCounts(portfolio: string): Promise<void> {
    const state = await portfolios.read(portfolio);
    const open = rowsIn(state.states, UNFINISHED_STATES);
    if (state.finishedMs !== undefined && open > 0) {
      await portfolios.sweepImports(portfolio);
      await sink.found({ check: 'no job', portfolio, says: FINISHED, rows: open, isMended: true });
    }
    for (const { of, is, figures, words } of proofOf(state, [])) {
      if (is !== 'wrong' || of === 'twice') continue;
      const detail = `${figures}: ${words}`;
      await sink.found({ check: 'counts', portfolio, says: UNEQUAL[of], detail, isMended: false });
      if (of === 'rows') await tellOfLost(portfolio);
    }
    lost.clear();
  }

  async function tellOfLost(portfolio: string): Promise<void> {
    const told = new Set<string>();
    for await (const { row, amount: requested } of rows.gone(portfolio)) {
      if (told.has(row.key) || told.size === MOST_NAMED) continue;
      told.add(row.key);
      const made = await calls.madeId({ kind: 'limit', key: row.key });
      const detail = made === undefined ? 'no limit is known to be made for it' : `its limit ${made} was made`;
      const line = lost.get(row.key);
      const facts = { ...row, requested, detail, ...(line !== undefined && { line }) };
      await sink.found({ check: 'counts', says: LOST, isMended: false, ...facts });
    }
  }

  /** Reports rows that wait for an approval that is gone: nobody can answer it. */
  async function tellOfGone(portfolio: string): Promise<void> {
    for (const [id, count] of waiting) {
      if (await approvals.read(id)) continue;
      await sink.found({ check: 'approvals', portfolio, says: GONE, rows: count, isMended: false });
    }
    waiting.clear();
  }

  return {
    async beginPortfolio(portfolio) {
      look = await compareIdle(portfolio, { ask, isSearched: rows.isSearched });
    },
    row(walked, state) {
      look?.add(walked, state);
      if (walked.field('state') === '') lost.set(walked.row.key, walked.at);
      const id = walked.field('state') === 'awaiting' ? walked.field('approval') : '';
      if (id !== '') waiting.set(id, (waiting.get(id) ?? 0) + 1);
    },
    async endPortfolio(portfolio) {
      if ((await look?.end()) !== 'as the rows are') await compareExactly(portfolio);
      look = undefined;
      await tellOfCounts(portfolio);
      await tellOfGone(portfolio);
      const unbound = await approvals.compare(portfolio);
      if (unbound === 0) return;
      await sink.found({ check: 'approvals', portfolio, says: UNBOUND, rows: unbound, isMended: true });
    },
  };
}

/** Collects row keys by finding, up to {@link MOST_NAMED} each, to limit memory. */
function makeNamedRows() {
  const keysBy = new Map<string, Set<string>>();
  return {
    add(words: string, key: string): void {
      const keys = keysBy.get(words) ?? new Set();
      keysBy.set(words, keys);
      if (keys.size < MOST_NAMED) keys.add(key);
    },
    of: (words: string): readonly string[] => [...(keysBy.get(words) ?? [])],
  };
}

/** Reports each named row as an item, and the others together as one. */
async function tellRows(
  { check, portfolio, says, rows, keys, isMended }: Found,
  { sink, ledger }: { sink: FoundSink; ledger: Pick<Rows, 'read'> },
): Promise<void> {
  const named = keys.slice(0, rows);
  for (let from = 0; from < named.length; from += PAGE) {
    const page = named.slice(from, from + PAGE).map((key) => ({ portfolio, key }));
    const results = await ledger.read(page);
    for (const [place, row] of page.entries()) {
      const result = results[place];
      const facts = result ? rowFacts(row, result) : row;
      await sink.found({ check, says, isMended, ...facts });
    }
  }
  const others: FoundItem = { check, portfolio, says, isMended, rows: rows - named.length };
  if (rows > named.length) await sink.found(others);
}

const FINISHED = 'rows waited in a portfolio that counted as finished; it is open again, and they go on';
const LOST = 'rows that were brought in are gone: import their file again, where nothing is requested twice';
const UNEQUAL = {
  lines: 'lines of a file led to nothing that the ledger knows',
  rows: 'the number of rows differs from the number that imports brought in',
  limits: 'the number of done rows differs from the number of limits made',
} as const;

const GONE =
  'rows wait for an approval that no longer exists, so nobody can answer it; cancel them, and import their file again';
const UNBOUND = 'approvals did not match the rows that wait for them; they do now';

/** The most sums that one finding names. */
const MOST_NAMED_SUMS = 8;

function wordsOf({ is, names = [] }: MendedDifference): { check: 'counts' | 'indexes'; says: string } {
  switch (is) {
    case 'state':
      return { check: 'counts', says: 'rows were not counted in their state; this is corrected' };
    case 'cause':
      return { check: 'indexes', says: 'failed rows were missing from the index of their cause; this is corrected' };
    case 'index':
      return { check: 'counts', says: 'rows were counted in a wrong state or cause; this is corrected' };
    case 'row':
      return { check: 'counts', says: 'rows were missing or wrong in the sums; this is corrected' };
    case 'search':
      return { check: 'indexes', says: 'rows were missing from the search index; this is corrected' };
    case 'entry':
      return { check: 'indexes', says: 'rows were in the search index with wrong entries; this is corrected' };
    case 'sums': {
      const named = names.length > MOST_NAMED_SUMS ? [...names.slice(0, MOST_NAMED_SUMS), '…'] : names;
      return {
        check: 'counts',
        says: `sums and counts did not match the rows (${named.join(', ')}); this is corrected`,
      };
    }
  }
}

/** The most rows that one finding names; the others are counted. A lost index would name all rows. */
const MOST_NAMED = 1_000;

const PAGE = 100;

type Found = {
  check: CheckName;
  portfolio: string;
  says: string;
  rows: number;
  keys: readonly string[];
  isMended: boolean;
};
