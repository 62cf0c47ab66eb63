import { Big } from 'big.js';
import type { CallRecord } from '../../src/call-kind.ts';
import { sumsByCurrency } from '../../src/ledger/counts/outcome-sums.ts';
import type { ForeseenChanges, Stands } from '../../src/ledger/plans/decisions-taken.ts';
import type { DecidedLimit, LaterWord } from '../../src/ledger/rows/decisions.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import { type Meanings, statusMeaningOf } from '../../src/status-meaning.ts';
import { makeCurrencyOfRow } from './foreign-amount.ts';

/** A limit's status and granted amount, from the record of its call. */
export function standsOf({ status = '', total_limit: total = '' }: CallRecord, meanings: Meanings): Stands {
  const isGranted = statusMeaningOf(status, meanings) === 'approved' && /^\d+(\.\d+)?$/.test(total);
  return { status, granted: isGranted ? total : '' };
}

/**
 * The amount that a change of an approved limit takes away, as decimal text; '0' if an approval is lost whose amount is unknown; undefined
 * if nothing is taken away.
 */
function loweredBy(was: Stands, is: Stands, meanings: Meanings): string | undefined {
  const less = new Big(was.granted || '0').minus(is.granted || '0');
  const isApproved = (status: string) => statusMeaningOf(status, meanings) === 'approved';
  const isTakenAway = was.granted === '' && isApproved(was.status) && !isApproved(is.status);
  return less.gt(0) || isTakenAway ? less.toFixed() : undefined;
}

type Change = {
  at: number;
  limit: DecidedLimit & { maker: RowId };
  decided: string | undefined;
  before: CallRecord;
  after: CallRecord;
};

/** The most rows that are listed. */
const NAMED = 10;

/** Collects the changes by a file's decisions. Several lines about one limit count as one change. */
export function makeForeseenChanges({ meanings }: { meanings: Meanings }) {
  const changes = new Map<string, Change>();

  return {
    /** @param line the number of the decision's line */
    add(line: number, { status, total, at, isDated }: LaterWord, { maker, ...limit }: DecidedLimit): void {
      if (!maker) return;
      const { before, after } = changes.get(limit.key) ?? { before: limit.record, after: limit.record };
      const said = { status, total_limit: total ?? after.total_limit ?? '' };
      const decided = isDated ? at : undefined;
      changes.set(limit.key, { at: line, limit: { ...limit, maker }, decided, before, after: said });
    },

    /** The record that a limit has after the lines added so far; undefined if none of them is about it. `key` is the request's. */
    lastOf: (key: string) => changes.get(key)?.after,

    async read(deps: Parameters<typeof makeCurrencyOfRow>[0]): Promise<ForeseenChanges> {
      const currencyOf = makeCurrencyOfRow(deps);
      // Changes were added out of order, since lines are taken at the same time.
      const inOrder = [...changes.values()].sort((one, other) => one.at - other.at);
      const all = await Promise.all(
        inOrder.map(async ({ limit: { maker, name, requested, importId }, decided, before, after }) => {
          const currency = await currencyOf(maker, importId);
          const stands = { before: standsOf(before, meanings), after: standsOf(after, meanings) };
          return { row: rowName(maker), name, requested, currency, decided, ...stands };
        }),
      );
      const sumsOf = (when: 'before' | 'after') =>
        sumsByCurrency(all.map(({ currency, ...one }) => ({ amount: one[when].granted || '0', currency })));
      const lowered = all.flatMap(({ before, after, currency }) => {
        const amount = loweredBy(before, after, meanings);
        return amount === undefined ? [] : [{ amount, currency }];
      });
      const rows = all.slice(0, NAMED);
      return {
        rows,
        more: all.length - rows.length,
        before: sumsOf('before'),
        after: sumsOf('after'),
        lowered: { limits: lowered.length, less: sumsByCurrency(lowered.filter(({ amount }) => amount !== '0')) },
      };
    },
  };
}
