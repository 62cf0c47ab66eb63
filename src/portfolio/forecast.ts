import { hash } from 'node:crypto';
import { addAmounts } from './amounts.ts';
import { makeKeySet } from './key-set.ts';
import type { Line } from './row.ts';

/** What an import of the file would lead to. */
export type Forecast = {
  /** Limits, one a row; documents, each file once; companies, each buyer once, those with a `company_id` not at all. */
  limits: number;
  documents: number;
  companies: number;
  /** What goes up for the documents: base64 in JSON is four thirds of the files. */
  uploadBytes: number;
  /** Exact sum of the requested limits, as decimal text. */
  requested: string;
};

/** What of one batch counts for the first time: the keys by which the ledger knows it. */
export type NewThings = { limits: string[]; companies: string[] };

export type Forecaster = { add(batch: readonly Line[]): NewThings; forecast(): Forecast };

/** Adds up what the lines of a file would lead to. */
export function makeForecaster(): Forecaster {
  const buyers = makeKeySet();
  const files = makeKeySet();
  const found = { limits: 0, documents: 0, companies: 0, uploadBytes: 0 };
  const sum = makeExactSum();

  return {
    add(batch) {
      const fresh: NewThings = { limits: [], companies: [] };
      for (const line of batch) {
        if (line.kind !== 'row') continue;
        const { key, buyer, companyId, documents, limit } = line.row;
        fresh.limits.push(key);
        sum.add(limit.requested_limit);
        if (companyId === undefined && buyers.add(buyer)) fresh.companies.push(buyer);
        for (const { path, sizeBytes } of documents) {
          if (!files.add(hash('sha256', path, 'base64url').slice(0, 16))) continue;
          found.documents += 1;
          found.uploadBytes += Math.ceil(sizeBytes / 3) * 4;
        }
      }
      found.limits += fresh.limits.length;
      found.companies += fresh.companies.length;
      return fresh;
    },
    forecast: () => ({ ...found, requested: sum.total() }),
  };
}

/**
 * Sums canonical decimals exactly: as whole numbers of their last decimal, one sum for each count of decimals. Small ones
 * are gathered in a float that is exact as far as it is used, since a BigInt a line would cost a tenth of the check.
 */
function makeExactSum() {
  const sums: { gathered: number; big: bigint }[] = [];
  return {
    add(amount: string): void {
      const point = amount.indexOf('.');
      const decimals = point === -1 ? 0 : amount.length - point - 1;
      const digits = point === -1 ? amount : amount.slice(0, point) + amount.slice(point + 1);
      sums[decimals] ??= { gathered: 0, big: 0n };
      const sum = sums[decimals];
      if (digits.length < EXACT_DIGITS) sum.gathered += Number(digits);
      else sum.big += BigInt(digits);
      if (sum.gathered < GATHERED_LIMIT) return;
      sum.big += BigInt(sum.gathered);
      sum.gathered = 0;
    },
    total(): string {
      const texts = sums.map(({ gathered, big }, decimals) => decimalText(big + BigInt(gathered), decimals));
      return texts.reduce(addAmounts, '0');
    },
  };
}

/** Below 10^15 each and 2^52 together, whole floats are exact. */
const EXACT_DIGITS = 15;
const GATHERED_LIMIT = 2 ** 52;

function decimalText(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
