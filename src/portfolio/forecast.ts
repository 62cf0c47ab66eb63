import { digestOf } from './identity/digest.ts';
import { makeKeySet } from './identity/key-set.ts';
import type { Line } from './lines/row.ts';
import { makeExactSum } from './values/exact-sum.ts';

/** What an import of the file would request, create and send. */
export type Forecast = {
  /** Limits: one a row. Documents: each file once. Companies: each buyer once, unless it has a `company_id`. */
  limits: number;
  documents: number;
  companies: number;
  /** Bytes uploaded for the documents. Base64 makes each file a third larger. */
  uploadBytes: number;
  /** Exact sum of the requested limits, as decimal text. */
  requested: string;
};

/** What a batch adds, as ledger keys: every limit, and each company on its first occurrence. */
type NewThings = { limits: string[]; companies: string[] };

type Forecaster = { add(batch: readonly Line[]): NewThings; forecast(): Forecast };

/** Adds up the requests of a file's lines. */
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
