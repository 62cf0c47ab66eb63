import type { Document } from '../../documents/folder.ts';
import type { FieldsIn } from '../columns/known-columns.ts';
import type { IdentifierKind } from '../identity/identity.ts';
import type { CellChange, Problem } from '../problem.ts';

/** The body of the company call (docs/service.md, "Company"). Empty cells are left out; an empty `state` is null. */
export type Company = Omit<FieldsIn<'company'>, 'name'> & {
  name: string;
  address: Omit<FieldsIn<'company.address'>, 'state'> & { state: string | null };
};

/** The file's values for the buyer limit call (docs/service.md, "Buyer limit request"). */
export type Limit = Omit<FieldsIn<'limit'>, 'requested_limit'> & {
  /** Canonical decimal text, see `parseAmount`. It becomes a float only when the request body is written. */
  requested_limit: string;
  contact?: FieldsIn<'limit.contact'>;
};

/** One buyer limit request. */
export type Row = {
  /** Digest of the request's identity, see `requestKey`. */
  key: string;
  /** The request_reference, if the line has one. */
  reference?: string;
  /** The key that an earlier version gave the request, if it read its reference as `9001.0`, a number of a workbook, as `="9001"`, or as `\N`. */
  formerKey?: string;
  /** Digest of the buyer's identity, see `buyerKey`. */
  buyer: string;
  /** The buyer's name, for reports. */
  name: string;
  company: Company;
  /** A `company_…` id from the file; with it, no company is created. */
  companyId?: string;
  limit: Limit;
  documents: Document[];
  /** The date of the request's financial statements and its currency, as text, if advice depends on them (`statementsText`). */
  statements?: string;
};

/** The result of reading one line. `cells` are the file's own, untrimmed, for the results file. */
export type Line =
  /** `isAlike`: the line makes a new buyer, and one of the warnings says which known buyer may be the same. */
  | (Read & { kind: 'row'; row: Row; warnings: Problem[]; isAlike?: true })
  /**
   * `broken` is the line's text, where its cells are unreliable. `key` is the key of the request that the line would
   * make, '' if unknown; `name`, `buyer` and `requested` are set as far as they are known. An amount in another currency than the
   * file's is not: it must not be added to a sum. `unsummed`: why it has no amount, if it is written clearly: it is in another currency
   * ("foreign") or has too many digits ("long"). `isNamed`: whether a request_reference says which request
   * the line means; undefined where an earlier line of the file has that request, or the line was refused for what is known of it.
   * `isCut`: the file ends within the line, without a line break, so it may have been cut off there.
   */
  | (Read & Partial<Told> & Invalid)
  /** `of` is the earlier line with the same request, `key` its request key. `problems` has one message that says so. */
  | (Read & Told & { kind: 'duplicate'; of: number; key: string; problems: Problem[] });

type Invalid = {
  kind: 'invalid';
  key: string;
  problems: Problem[];
  broken?: string;
  unsummed?: 'foreign' | 'long' | undefined;
  isNamed?: boolean | undefined;
  isCut?: true | undefined;
};

type Told = Record<'name' | 'buyer' | 'requested', string | undefined>;

/**
 * What every line has. `numbers` are the indexes of cells that a workbook stores as numbers. `told` is set where the
 * line matched a buyer that was known before.
 */
type Read = {
  line: number;
  cells: string[];
  numbers?: readonly number[] | undefined;
  /** The currency that only the number format of the amount names, as it can be written beside an amount. */
  currency?: string | undefined;
  changed: CellChange[];
  told?: ToldBuyer;
};

/** The identifier by which a line matched a buyer, and the line that first brought that buyer. `name` is null if not stored. */
export type ToldBuyer = {
  key: string;
  by: IdentifierKind;
  written: string;
  name: string | null;
  of: { portfolio: string; line: number };
};

/** The key of the request that the line makes or would make; '' if unknown. */
export function requestOf(line: Line): string {
  return line.kind === 'row' ? line.row.key : line.key;
}
