import { digestOf } from './identity/digest.ts';
import { makeKeySet } from './identity/key-set.ts';
import type { Line } from './lines/row.ts';
import { makeExactSum } from './values/exact-sum.ts';

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
type NewThings = { limits: string[]; companies: string[] };

type Forecaster = { add(batch: readonly Line[]): NewThings; forecast(): Forecast };

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
          if (!files.add(digestOf(path))) continue;
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
