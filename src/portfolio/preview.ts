import { addAmounts, makeExactSum, subtractAmounts } from '../exact-sum.ts';
import type { Dialect } from '../table/dialect.ts';
import type { Above } from '../table/find-header.ts';
import type { Column } from './columns/column.ts';
import type { Conventions } from './columns/known-columns.ts';
import { digestOf, makeKeySet } from './identity/digest.ts';
import type { Line } from './lines/row.ts';
import type { Problem } from './problem.ts';

/**
 * The requests of an import, and the companies and documents that it would send, as `check` prints them. Things made or sent before are
 * left out.
 */
export type DryRun = Forecast & {
  /** How many companies of these limits exist already. */
  existing: number;
  /** How many of the limits already wait: in this portfolio, or in another one for an approval. */
  open: number;
  /** How many of the limits were given up before, in this portfolio; previews of earlier versions lack it. */
  revived?: number;
  /** How many rows of earlier imports the file's lines would replace, since they correct them. */
  replaced: number;
  /** Unsent rows of earlier imports that would be cancelled, since invalid lines may correct them. */
  doubted?: number;
  /**
   * Rows of earlier imports that the file lacks: how many were not sent, how many were, and the first names. Unknown for an errors file, for
   * one that can be read only once, and in previews of earlier versions.
   */
  lacking?: number;
  lackingSent?: number;
  lackingNames?: readonly string[];
  /** The file ends within an invalid line, so it may be cut off: it cancels none of the rows that it lacks. */
  isCut?: boolean;
  /** Limits whose buyers have another request, open, made or earlier in the file, and the sum of these limits. */
  besides: { limits: number; requested: string };
  /**
   * `rows`: the sum of all lines that would be rows, whatever becomes of them. `counted`: the part of the portfolio's sum before the import
   * that belongs to these rows, to rows that they replace, and to doubted rows. Both are unknown for a file that can be read only once, and in
   * previews of earlier versions.
   */
  sums?: { rows: string; counted: string };
  /** Limits for new buyers that may be the same as known ones; previews of earlier versions lack it. */
  alike?: number;
  /**
   * Limits and companies that are not requested again. `limits` and `companies` were made before, `held` are held or under way, and
   * `needAnswer` of these wait for a person's answer; `heldIn` is the portfolio if all of these are rows of it. null if there is no ledger to ask.
   */
  before: { limits: number; companies: number; held: number; needAnswer: number; heldIn?: string } | null;
  /** Estimated duration of the calls at the known rate, in seconds; null if no rate is known. */
  durationS: number | null;
};

/** What a portfolio that asks for `there` now would ask for after the import; undefined where that is not known. */
export function sumAfter({ sums }: DryRun, there: string): string | undefined {
  return sums && addAmounts(subtractAmounts(there, sums.counted), sums.rows);
}

/** One of the largest requests, for display. */
export type LargeRequest = { line: number; name: string; requested: string };

/** The request bodies that a line's calls would send. `company` is null where the line gives a `company_id`. */
export type PreviewRequest = {
  line: number;
  company: Record<string, unknown> | null;
  documents: readonly string[];
  limit: Record<string, unknown>;
};

/** A column as it was understood, with the values of its first filled cells. */
export type PreviewColumn = Pick<Column, 'index' | 'written' | 'known' | 'extra' | 'by' | 'guess'> & {
  samples: string[];
};

/** A line that needs a person's attention, with the cells of the file. */
export type LineToMend = {
  line: number;
  /** How many physical lines the record spans. */
  lines: number;
  kind: 'row' | 'invalid' | 'duplicate';
  /** The key of the line's own request; '' if unknown, and of a duplicate. Previews of earlier versions lack it. */
  key?: string;
  cells: string[];
  /** The indexes of cells that a workbook stores as numbers. */
  numbers?: readonly number[] | undefined;
  problems: Problem[];
  warnings: Problem[];
  /** The line's amount, if it can be read. */
  requested?: string | undefined;
  /** The line's text, where its division into cells is unreliable. The person corrects the text as a whole. */
  broken?: string | undefined;
};

/** How many lines need attention, how many were kept, and for each page of them its first line and its byte offset. */
export type MendPages = {
  lines: number;
  kept: number;
  pages: { line: number; at: number }[];
  /** How many of the kept lines have something wrong in a column, the most frequent first; null: with a line as a whole. */
  causes: { column: string | null; lines: number }[];
};

/** Lines of one page of those that need attention. */
export const MEND_PAGE_LINES = 20;

/** One page of the lines that need attention, from 0: of all of them, or of those with something wrong in one column. */
export type MendPlace = { list: 'problems' | 'warnings'; page: number; column?: string | null | undefined };

/** The result of reading a file before its import. */
export type Preview = {
  /** Digest of all that the preview depends on, except the ledger: file, reading options, documents, portfolio, account, settings. */
  of: string;
  madeMs: number;
  dialect: Dialect;
  /** The sheets of a workbook that a person can choose. */
  sheets: string[];
  headerLine: number | null;
  above: Above | null;
  columns: PreviewColumn[];
  conventions: Conventions;
  /** The currency that the file names: its ISO 4217 code where that is sure, else as it is written. */
  currency?: string | undefined;
  /** Problems of the file as a whole. With any, nothing can be imported. */
  faults: Problem[];
  fileWarnings: Problem[];
  counts: { lines: number; rows: number; invalid: number; duplicate: number };
  /** The sum of the amounts of all lines, as a control total is compared with; previews of earlier versions lack it. */
  sum?: string;
  /** Cells whose values are sent in another form: one message for each column and reason. */
  changes: { column: string; count: number; value: string; became: string; message: string }[];
  dryRun: DryRun;
  /** The expected rate in calls a second; null if none is known. */
  ratePerS: number | null;
  largest: readonly LargeRequest[];
  /** The request bodies of the first lines that lead to a request. */
  first: PreviewRequest[];
  /** Documents that no line names. */
  unnamedDocuments: string[];
  problems: MendPages;
  warnings: MendPages;
};

/** The additions of a batch, as ledger keys: every limit, and each company on its first occurrence. */
type NewThings = { limits: string[]; companies: string[] };

/** Adds up the requests of a file's lines. `supplier`: the key of a company that is created too, before the first row. */
export function makeForecaster() {
  const buyers = makeKeySet();
  const files = makeKeySet();
  const found = { limits: 0, documents: 0, companies: 0, uploadBytes: 0 };
  const sum = makeExactSum();

  return {
    add(batch: readonly Line[], supplier?: string): NewThings {
      const fresh: NewThings = { limits: [], companies: [] };
      const hasRows = batch.some(({ kind }) => kind === 'row');
      if (supplier !== undefined && hasRows && buyers.add(supplier)) fresh.companies.push(supplier);
      for (const line of batch) {
        if (line.kind !== 'row') continue;
        const { key, buyer, companyId, documents, limit } = line.row;
        fresh.limits.push(key);
        sum.add(limit.requested_limit);
        if (companyId === undefined && buyers.add(buyer)) fresh.companies.push(buyer);
        for (const { path, sizeBytes, purpose } of documents) {
          if (!files.add(digestOf(purpose === undefined ? path : `${path}\0${purpose}`))) continue;
          found.documents += 1;
          found.uploadBytes += Math.ceil(sizeBytes / 3) * 4;
        }
      }
      found.limits += fresh.limits.length;
      found.companies += fresh.companies.length;
      return fresh;
    },
    forecast: (): Forecast => ({ ...found, requested: sum.total() }),
  };
}

/** The requests of an import of the file, with the companies and documents that it would send. */
type Forecast = {
  /** Limits: one a row. Documents: each file once for each purpose. Companies: each buyer and the supplier once, unless it has a `company_id`. */
  limits: number;
  documents: number;
  companies: number;
  /** Bytes uploaded for the documents. Base64 makes each file a third larger. */
  uploadBytes: number;
  /** Exact sum of the requested limits, as decimal text. */
  requested: string;
};
