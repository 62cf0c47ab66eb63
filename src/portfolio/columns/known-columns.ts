import { readUnit } from '../values/amount-unit.ts';
import { type Decimal, parseAmount } from '../values/amounts.ts';
import { readCountry } from '../values/countries.ts';
import { type DateOrder, parseDate } from '../values/dates.ts';
import { readCompanyId, readIdentifier } from '../values/identifiers.ts';
import type { ValueReading } from '../values/reading.ts';
import { readEmail, readName, readOnOneLine, readWebsite, readYesOrNo } from '../values/texts.ts';

/** How a file writes amounts and dates; null where its columns do not show it. */
export type Conventions = {
  decimal: Decimal | null;
  dates: DateOrder | null;
  /** Where the cells of a column contradict each other: one cell of each kind with its line, as words of a message. */
  contradictions?: { decimal?: string; dates?: string } | undefined;
};

/**
 * The options for reading a cell. Conventions may be detected later; `today`, YYYY-MM-DD, is the latest date that financial statements may
 * have.
 */
export type ReadBy = { conventions: Readonly<Conventions>; today: string };

/** Reads one trimmed cell that is not empty; `isNumber` if the workbook stores it as a number. */
export type ValueReader = (text: string, by: ReadBy, isNumber?: boolean) => ValueReading;

type ColumnFacts = {
  /** Reads a cell; without it, the cell's text is the value. */
  read?: ValueReader;
  /** The object of a row (`lines/row.ts`) that gets the value. Without it, code of its own sends the value, or it `isUnsent`. */
  in?: 'company' | 'company.address' | 'limit' | 'limit.contact';
  /** Whether no call sends the value: it tells buyers and requests apart, or an amount is judged by it. */
  isUnsent?: true;
  /** The field in that object, if it differs from the column's name. */
  field?: string;
  /**
   * Who may see its cells. `open`: company data, shown everywhere. `page`: may identify a person, so pages show it but
   * nightly reports do not. `masked`: personal data, on pages only for roles that may see contacts.
   */
  shown: 'open' | 'page' | 'masked';
  /** Whether Limitline makes no request for a line in which this column is empty. Which fields the service needs is unknown. */
  isNeeded?: true;
  /** Whether the column helps to identify the line's buyer, see `identity/`. */
  isOfBuyer?: true;
  /**
   * Whether the column identifies a buyer or a request by itself, or is the amount. If a person gives one value for such a column in all
   * lines of a file, later files do not get that value. They do get that of the country and of the source of a number: these identify
   * nobody alone, and without them the same buyers would get other keys and be requested twice.
   */
  isOfLine?: true;
};

/** The known columns; all others are the finance team's own. The order is that of the fields in a body. */
const TABLE = {
  name: { in: 'company', read: readName, shown: 'open', isNeeded: true, isOfBuyer: true, isOfLine: true },
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
  document_purpose: { read: readOnOneLine, shown: 'open' },
  statements_dated: { read: readDay, shown: 'open', isUnsent: true },
  buyer_reference: { read: readIdentifier, shown: 'open', isOfBuyer: true, isOfLine: true, isUnsent: true },
  request_reference: { read: readIdentifier, shown: 'open', isOfLine: true, isUnsent: true },
  company_id: { read: readCompanyId, shown: 'open', isOfLine: true },
  currency: { read: readUnit, shown: 'open', isOfLine: true, isUnsent: true },
  same_buyer: { read: readYesOrNo, shown: 'page', isOfLine: true, isUnsent: true },
} as const satisfies Record<string, ColumnFacts>;

type Table = typeof TABLE;
export type KnownColumn = keyof Table;
export const COLUMNS: Readonly<Record<KnownColumn, ColumnFacts>> = TABLE;
export const KNOWN_COLUMNS = Object.keys(TABLE) as KnownColumn[];

/** The values for one object of a row, by field. */
export type FieldsIn<Place extends ColumnFacts['in']> = {
  [C in KnownColumn as Table[C] extends { in: Place } ? FieldOf<C> : never]?: string;
};
type FieldOf<C extends KnownColumn> = Table[C] extends { field: infer Field extends string } ? Field : C;

/** The columns of one object of a row, with their fields. */
export function columnsIn(place: ColumnFacts['in']): { column: KnownColumn; field: string }[] {
  return columnsThat((facts) => facts.in === place).map((column) => ({ column, field: fieldOf(column) }));
}

/** The columns that satisfy a condition, in the table's order. */
export function columnsThat(holds: (facts: ColumnFacts) => boolean): KnownColumn[] {
  return KNOWN_COLUMNS.filter((column) => holds(COLUMNS[column]));
}

/** The field's name in the request. */
export function fieldOf(column: KnownColumn): string {
  return COLUMNS[column].field ?? column;
}

export const NEEDED = columnsThat(({ isNeeded }) => isNeeded === true);

/**
 * The normal form of a column's name: `Contact.Email`, `contact email` and `Contact-Email` are all `contact_email`, and so is the field's whole
 * path, `buyer_limit.contact.email`.
 */
export function plainName(written: string): string {
  const name = written
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  const whole = PATHS.get(name);
  if (whole) return whole;
  const dotted = /^(address|contact)\.(\w+)$/.exec(name);
  if (!dotted) return name;
  const flat = dotted[1] === 'contact' ? `contact_${dotted[2]}` : dotted[2];
  return isKnown(flat ?? '') ? (flat ?? '') : name;
}

/** Whole paths of fields. A part of one is no such path: `company.state` is no part of an address. */
const PATHS: ReadonlyMap<string, KnownColumn> = new Map(
  KNOWN_COLUMNS.flatMap((column) => {
    const place = COLUMNS[column].in?.replace(/^limit/, 'buyer_limit');
    return place ? [[`${place}.${fieldOf(column)}`, column] as const] : [];
  }),
);

/** The known column with this name in any spelling; null for other names. */
export function ownNameOf(written: string): KnownColumn | null {
  const name = plainName(written);
  return isKnown(name) ? name : null;
}

/** Whether this is a known column's name in its normal form. */
export function isKnown(name: string): name is KnownColumn {
  return Object.hasOwn(COLUMNS, name);
}

function readLimit(text: string, { conventions }: ReadBy, isNumber?: boolean): ValueReading {
  return parseAmount(text, isNumber ? '.' : conventions.decimal, conventions.contradictions?.decimal);
}

function readDay(text: string, { conventions, today }: ReadBy): ValueReading {
  return parseDate(text, { order: conventions.dates, today, contradiction: conventions.contradictions?.dates });
}
