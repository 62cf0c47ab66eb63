import { readUnit } from '../values/amount-unit.ts';
import { type Decimal, parseAmount } from '../values/amounts.ts';
import { readCountry } from '../values/countries.ts';
import { type DateOrder, parseDate } from '../values/dates.ts';
import { readCompanyId, readIdentifier } from '../values/identifiers.ts';
import type { ValueReading } from '../values/reading.ts';
import { readEmail, readOnOneLine, readWebsite, readYesOrNo } from '../values/texts.ts';

/** How amounts and dates of a file are written; null where its columns leave that open. */
export type Conventions = { decimal: Decimal | null; dates: DateOrder | null };

/** What some cells are read by. The conventions may become known on the way; `today`, YYYY-MM-DD, is the latest date for statements. */
export type ReadBy = { conventions: Readonly<Conventions>; today: string };

/** Reads one cell that is not empty, trimmed; `isNumber` when the file itself types it as a number. */
export type ValueReader = (text: string, by: ReadBy, isNumber?: boolean) => ValueReading;

/** What there is to know of a column. */
type ColumnFacts = {
  /** How a cell is read; without it, the cell is taken as written. */
  read?: ValueReader;
  /** The object of a row (`lines/row.ts`) in which its value is sent; without it, the value is not sent, or code of its own does it. */
  in?: 'company' | 'company.address' | 'limit' | 'limit.contact';
  /** The value's field in that object, where it is not called like the column. */
  field?: string;
  /**
   * Where its cells are shown. An `open` cell belongs to a company, and is shown everywhere. A `page` cell may lead to a person: pages show
   * it, and the nightly report does not quote it. A `masked` cell belongs to a person: pages show it to roles that may see contacts alone.
   */
  shown: 'open' | 'page' | 'masked';
  /** Whether no request can be made without it; which fields the service itself requires is not shown. */
  isNeeded?: true;
  /** Whether it tells the line's buyer, see `identity/`. */
  isOfBuyer?: true;
  /**
   * Whether it says by itself which buyer or which request a line is, or how much it asks for: each file says that of its own lines,
   * and a constant of it is kept for no other file. The country and the source of a number say none of it alone, and without them the
   * same buyers would be others, and be asked for twice.
   */
  isOfLine?: true;
};

/** The columns that mean something to us; all others are the finance team's own. Fields of a body are sent in this order. */
const TABLE = {
  name: { in: 'company', read: readOnOneLine, shown: 'open', isNeeded: true, isOfBuyer: true, isOfLine: true },
  country_code: { in: 'company.address', read: readCountry, shown: 'open', isOfBuyer: true },
  city: { in: 'company.address', shown: 'page' },
  street: { in: 'company.address', shown: 'masked' },
  state: { in: 'company.address', shown: 'page' },
  website: { in: 'company', read: readWebsite, shown: 'page' },
  business_information_source: { in: 'limit', read: readIdentifier, shown: 'open', isOfBuyer: true },
  business_information_id: { in: 'limit', read: readIdentifier, shown: 'open', isOfBuyer: true, isOfLine: true },
  company_registration_number: { in: 'limit', read: readIdentifier, shown: 'open', isOfBuyer: true, isOfLine: true },
  requested_limit: { in: 'limit', read: readLimit, shown: 'open', isNeeded: true, isOfLine: true },
  contact_first_name: { in: 'limit.contact', field: 'first_name', shown: 'masked' },
  contact_last_name: { in: 'limit.contact', field: 'last_name', shown: 'masked' },
  contact_email: { in: 'limit.contact', field: 'email', read: readEmail, shown: 'masked' },
  supporting_documents: { shown: 'open' },
  statements_dated: { read: readDay, shown: 'open' },
  buyer_reference: { read: readIdentifier, shown: 'open', isOfBuyer: true, isOfLine: true },
  request_reference: { read: readIdentifier, shown: 'open', isOfLine: true },
  company_id: { read: readCompanyId, shown: 'open', isOfLine: true },
  currency: { read: readUnit, shown: 'open', isOfLine: true },
  same_buyer: { read: readYesOrNo, shown: 'page', isOfLine: true },
} as const satisfies Record<string, ColumnFacts>;

type Table = typeof TABLE;
export type KnownColumn = keyof Table;
export const COLUMNS: Readonly<Record<KnownColumn, ColumnFacts>> = TABLE;
export const KNOWN_COLUMNS = Object.keys(TABLE) as KnownColumn[];

/** The values that columns give to one object of a row, by their fields. */
export type FieldsIn<Place extends ColumnFacts['in']> = {
  [C in KnownColumn as Table[C] extends { in: Place } ? FieldOf<C> : never]?: string;
};
type FieldOf<C extends KnownColumn> = Table[C] extends { field: infer Field extends string } ? Field : C;

/** The columns with a value in that object of a row, each with its field there. */
export function columnsIn(place: ColumnFacts['in']): { column: KnownColumn; field: string }[] {
  return columnsThat((facts) => facts.in === place).map((column) => ({ column, field: fieldOf(column) }));
}

/** The columns of which that holds, in the table's order. */
export function columnsThat(holds: (facts: ColumnFacts) => boolean): KnownColumn[] {
  return KNOWN_COLUMNS.filter((column) => holds(COLUMNS[column]));
}

/** What the value is called where it is sent. */
export function fieldOf(column: KnownColumn): string {
  return COLUMNS[column].field ?? column;
}

export const NEEDED = columnsThat(({ isNeeded }) => isNeeded === true);

/** The one form of a column's name: `Contact.E-mail`, `contact e mail` and `contact_e_mail` are the same. */
export function plainName(written: string): string {
  const name = written
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  const dotted = /^(address|contact)\.(\w+)$/.exec(name);
  if (!dotted) return name;
  const flat = dotted[1] === 'contact' ? `contact_${dotted[2]}` : dotted[2];
  return isKnown(flat ?? '') ? (flat ?? '') : name;
}

/** The column of ours that is written there by our own name; null for any other. */
export function ownNameOf(written: string): KnownColumn | null {
  const name = plainName(written);
  return isKnown(name) ? name : null;
}

/** Whether it is the name of a column of ours, in its one form. */
export function isKnown(name: string): name is KnownColumn {
  return Object.hasOwn(COLUMNS, name);
}

function readLimit(text: string, { conventions }: ReadBy, isNumber?: boolean): ValueReading {
  return parseAmount(text, isNumber ? '.' : conventions.decimal);
}

function readDay(text: string, { conventions, today }: ReadBy): ValueReading {
  return parseDate(text, { order: conventions.dates, today });
}
