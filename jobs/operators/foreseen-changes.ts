import { Big } from 'big.js';
import type { CallRecord } from '../../src/call-outcome.ts';
import { type AmountIn, sumsByCurrency } from '../../src/ledger/counts/outcome-sums.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { DecidedLimit, LaterWord } from '../../src/ledger/rows/decisions.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import { type Meanings, statusMeaningOf } from '../../src/status-meaning.ts';
import { makeImportLook } from '../rows/import-names.ts';

/** A status, and what is granted with it: decimal text, '' for nothing that is known. */
type Stands = { status: string; granted: string };

/** What decisions change, or would: the first rows by their lines, and what is granted of all requests, before and after, by currency. */
export type ForeseenChanges = {
  rows: {
    row: string;
    name: string;
    requested: string;
    currency: string | undefined;
    /** When it was decided, in ISO 8601, if the file says so. */
    decided: string | undefined;
    before: Stands;
    after: Stands;
  }[];
  more: number;
  before: AmountIn[];
  after: AmountIn[];
  /** How many approvals are none any more, or of less than before, and how much less is granted, as far as that is known, by currency. */
  lowered: { limits: number; less: AmountIn[] };
};

/** How a limit stands by what the service said. */
export function standsOf({ status = '', total_limit: total = '' }: CallRecord, meanings: Meanings): Stands {
  const isGranted = statusMeaningOf(status, meanings) === 'approved' && /^\d+(\.\d+)?$/.test(total);
  return { status, granted: isGranted ? total : '' };
}

/** By how much less is granted where an approval is none any more or of less than before, '0' if that is not known; else undefined. */
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

/** The most rows that are named. */
const NAMED = 10;

/** Collects what a file's decisions change, each limit once, though several lines say something of it. */
export function makeForeseen({ meanings }: { meanings: Meanings }) {
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

    /** The record that the limit of a request would have behind the earlier lines of the file. */
    lastOf: (key: string) => changes.get(key)?.after,

    async read(portfolios: Pick<Portfolios, 'allImports'>): Promise<ForeseenChanges> {
      const importOf = makeImportLook({ portfolios });
      // Lines are taken side by side, so these stand in no order.
      const inOrder = [...changes.values()].sort((one, other) => one.at - other.at);
      const all = await Promise.all(
        inOrder.map(async ({ limit: { maker, name, requested, importId }, decided, before, after }) => {
          const currency = (await importOf(maker, importId))?.found?.currency;
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
