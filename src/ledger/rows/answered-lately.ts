import { sharedFor } from '../../once-at-a-time.ts';
import type { Meanings } from '../../status-meaning.ts';
import { DAY_MS } from '../../time-units.ts';
import type { AmountIn } from '../counts/outcome-sums.ts';
import { outcomeOfTally } from '../counts/row-outcome.ts';
import { ledgerScript } from '../schema/gated-script.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { type RowId, rowIdOf } from '../schema/schema.ts';

/**
 * A row that the service answered lately: when, the number of its import, and the amount requested ('' if unreadable). `granted`: the amount
 * granted now; undefined where it is open whether anything is.
 */
export type AnsweredRow = {
  row: RowId;
  atMs: number;
  importId: string;
  requested: string;
  granted: string | undefined;
};

/**
 * The rows found, the latest first; `isAll` is false if there may be more: only the latest answers are looked at, and none of archived
 * portfolios.
 */
type AnsweredRows = { rows: AnsweredRow[]; isAll: boolean };

/** The bad news that the first page tells: requests that the service declined, and limits that a later decision lowered or left open. */
export type NewsKind = 'declined' | 'lowered';

/** The news of a week: rows, the sums requested, and when the first of them was, in ms. `isAll` as in {@link AnsweredRows}. */
export type NewsSum = { rows: number; sums: AmountIn[]; sinceMs: number | undefined; isAll: boolean };

/**
 * Rows, the latest first, each with the time of the service's answer, and the amounts as {@link AnsweredRow} has them; `next` names the last
 * row if others follow. `before`: the larger amount that an earlier answer had granted; undefined where none had.
 */
export type NewsPage = {
  items: (AmountIn &
    Pick<AnsweredRow, 'row' | 'atMs'> & {
      name: string;
      status: string;
      granted: string | undefined;
      before: string | undefined;
    })[];
  next: string | undefined;
  total: number;
  isAll: boolean;
};

/**
 * The time for which the first page tells what the service or a colleague declined: longer than a weekend with some days off. The ledger
 * lists answers for longer (moves.lua).
 */
export const NEWS_MS = 7 * DAY_MS;

/** The most answers other than a plain yes that are looked at, which takes some ten milliseconds. */
const MOST_ANSWERS = 2_000;

/**
 * The rows are not read again for this long while neither the set of answers nor the number of portfolios changes. For as long, rows that
 * have left for an archive may still count.
 */
const SAME_MS = 2_000;

/** The outcomes with which something is granted. */
const GRANTED: readonly string[] = ['approved', 'partly_approved'];

export const isGranted = (outcome: string): boolean => GRANTED.includes(outcome);

/** Finds rows that the service declined within eight days, at first or by a later decision, or granted less than before, as far as it says (moves.lua). */
export function makeAnsweredLately({ connection, keys }: LedgerPlace) {
  const run = ledgerScript(connection, 'find#answered-lately');
  const digestOf = ledgerScript(connection, 'general#set-digest');
  const lists = {
    declined: { lately: keys.answeredLately, outcomes: ['declined'] },
    lowered: { lately: keys.loweredLately, outcomes: [...GRANTED, 'under_review', 'answered'] },
  };
  const latest = sharedFor(SAME_MS, async (digest) => {
    const { lately } = lists[digest.split(' ')[0] as NewsKind];
    const text = await run({ account: keys.account, lately }, { most: MOST_ANSWERS });
    return JSON.parse(String(text)) as (string | number | false)[];
  });

  /** The rows of these news, by what statuses mean now, at `sinceMs` or later. */
  async function answeredLately(kind: NewsKind, sinceMs: number, meanings: Meanings): Promise<AnsweredRows> {
    const { lately, outcomes } = lists[kind];
    const range = { from: -MOST_ANSWERS, to: -1, scores: 'WITHSCORES' };
    const [digest, portfolios] = await Promise.all([
      digestOf({ set: lately }, range),
      // A change of this number means that a portfolio was archived or restored, so the rows are read again.
      connection.zcard(keys.portfolios),
    ]);
    const found = await latest(`${kind} ${digest} ${portfolios}`);
    let isAll = found.length < 4 * MOST_ANSWERS || Number(found.at(-3)) < sinceMs;
    const rows: AnsweredRow[] = [];
    for (let at = 0; at < found.length; at += 4) {
      const [name, atMs, tally, importId] = found.slice(at, at + 4);
      const row = rowIdOf(String(name));
      if (!row || Number(atMs) < sinceMs) continue;
      // A row without a tally is in an archive and not in Redis, so its outcome is not known.
      if (!tally) isAll = false;
      const outcome = (tally && outcomeOfTally(String(tally), meanings)) || '';
      if (!outcomes.includes(outcome)) continue;
      const [, requested = '', named] = AMOUNTS.exec(String(tally)) ?? [];
      const granted = isGranted(outcome) ? named : undefined;
      rows.push({ row, atMs: Number(atMs), importId: String(importId || ''), requested, granted });
    }
    return { rows, isAll };
  }
  return { answeredLately };
}

/** The requested amount in a tally (derive.lua), if it is a number, and the granted one. */
const AMOUNTS = /^[ab]\|\w+\|(\d+(?:\.\d+)?)?[^|]*(?:\|([^|]*))?/;
