import type { Document } from '../../documents/document.ts';
import type { FieldsIn } from '../columns/known-columns.ts';
import type { IdentifierKind } from '../identity/identity.ts';
import type { CellChange, Problem } from '../problem.ts';

/** The body of the company call (docs/service.md, "Company"): empty cells are left out, `state` alone is null. */
export type Company = Omit<FieldsIn<'company'>, 'name'> & {
  name: string;
  address: Omit<FieldsIn<'company.address'>, 'state'> & { state: string | null };
};

/** What the file gives for the buyer limit call (docs/service.md, "Buyer limit request"). */
export type Limit = Omit<FieldsIn<'limit'>, 'requested_limit'> & {
  /** Canonical decimal text, see `parseAmount`: a float is made of it only where the request body is written. */
  requested_limit: string;
  contact?: FieldsIn<'limit.contact'>;
};

/** One buyer limit request. */
export type Row = {
  /** Digest of the request's identity, see `requestKey`. */
  key: string;
  /** Digest of the buyer's identity, see `buyerKey`. */
  buyer: string;
  /** The buyer's name, for reports. */
  name: string;
  company: Company;
  /** A `company_…` id that the file gives: no company is created. */
  companyId?: string;
  limit: Limit;
  documents: Document[];
  /** Date of the statements, YYYY-MM-DD, where the line gives one: only advice goes by it. */
  statementsDated?: string;
};

/** What became of one line of the file. `cells` are the file's own, untrimmed, for the results file. */
export type Line =
  | (Read & { kind: 'row'; row: Row; warnings: Problem[] })
  /**
   * `broken` is the line's text, where its cells are not to be believed: they may have slipped, or hide something. `key` is
   * the request's that the line would make, '' where its sound cells do not tell; `buyer` and `requested` what they tell, if anything.
   */
  | (Read & Partial<Told> & { kind: 'invalid'; key: string; problems: Problem[]; broken?: string })
  /** `of` is the earlier line that makes the same request, `key` that request's; `problems` is the one sentence that says so. */
  | (Read & { kind: 'duplicate'; of: number; key: string; problems: Problem[] });

type Told = Record<'buyer' | 'requested', string | undefined>;

/**
 * What every line has. `numbers` are the columns of a sheet's cells that are numbers by their type; `told` is there where the
 * line was taken for a buyer that was known before it.
 */
type Read = {
  line: number;
  cells: string[];
  numbers?: readonly number[] | undefined;
  changed: CellChange[];
  told?: ToldBuyer;
};

/** By which identifier a line was taken for a buyer, and who first brought that. `name` is null where it is not kept. */
export type ToldBuyer = {
  key: string;
  by: IdentifierKind;
  written: string;
  name: string | null;
  of: { portfolio: string; line: number };
};

/** The key of the request that the line makes or would make; '' where it is not known. */
export function requestOf(line: Line): string {
  return line.kind === 'row' ? line.row.key : line.key;
}
