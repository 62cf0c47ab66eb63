import { addExtras, type ExtraCell } from '../columns/extra-fields.ts';
import { columnsIn } from '../columns/known-columns.ts';
import type { BuyerBook } from '../identity/buyer-book.ts';
import {
  type BuyerIdentity,
  type BuyerLine,
  buyerKey,
  companyDigest,
  digestsWithZeros,
  identifiersOf,
  likenessOf,
  numberWord,
  requestKey,
} from '../identity/identity.ts';
import type { RecordedBuyerLookup } from '../identity/recorded-buyer.ts';
import { makeProblem } from '../problem.ts';
import type { LineDraft, Values } from './read-cells.ts';
import type { Company, Limit, Row } from './row.ts';

/** The body of the company call. `values.name` must exist. */
export function makeCompany(values: Values): Company {
  const address: Company['address'] = { state: values.state ?? null };
  const company: Company = { name: values.name ?? '', address };
  fill(address, ADDRESS, values);
  fill(company, COMPANY, values);
  return company;
}

/** The buyer key from these values alone. For the supplier, which no other line describes. */
export function buyerKeyOf(values: Values): string {
  return buyerKey(identityOf(values));
}

/** The line's identity for the buyer book; undefined where its values give neither a reference nor a name. */
export function buyerLineOf(
  values: Values,
  { line, isSound, mends = '' }: { line: number; isSound: boolean; mends?: string },
): BuyerLine | undefined {
  if (!values.buyer_reference && !values.name) return undefined;
  const identity = identityOf(values);
  const { same_buyer: same } = values;
  return {
    line,
    isSound,
    mends,
    name: identity.name,
    city: values.city ?? '',
    street: values.street ?? '',
    identifiers: identifiersOf(identity),
    withZeros: () => digestsWithZeros(identity),
    numbers: [identity.registrationNumber, identity.informationId]
      .map((number = '') => numberWord(number))
      .filter(Boolean),
    ...likenessOf(identity),
    company: values.company_id ? { id: values.company_id, digest: companyDigest(values.company_id) } : undefined,
    same: same === 'yes' || same === 'no' ? same : undefined,
    rowOf: (buyer) => rowKeyOf(values, buyer),
  };
}

function identityOf(values: Values): BuyerIdentity {
  return {
    buyerReference: values.buyer_reference,
    countryCode: values.country_code,
    registrationNumber: values.company_registration_number,
    informationSource: values.business_information_source,
    informationId: values.business_information_id,
    name: values.name ?? '',
  };
}

function rowKeyOf(values: Values, buyer: string): string {
  const { request_reference: requestReference, requested_limit: requestedLimit = '' } = values;
  return requestKey({ requestReference, buyer, requestedLimit });
}

/** The row of a valid line, without its documents. `name` and `requested_limit` must exist. */
export function makeRow(values: Values, buyer: string, extras: readonly ExtraCell[] = []): Row {
  const [company, limit] = [makeCompany(values), makeLimit(values)];
  addExtras(company, 'company', extras);
  addExtras(limit, 'buyer_limit', extras);
  const key = rowKeyOf(values, buyer);
  const row: Row = { key, buyer, name: values.name ?? '', company, limit, documents: [] };
  if (values.company_id) row.companyId = values.company_id;
  return row;
}

/** The request key of an invalid line, if its sound values and its buyer determine it; otherwise ''. */
export function faultyKeyOf(values: Values, buyer: string | undefined): string {
  const isTold = values.request_reference || (values.requested_limit !== undefined && buyer !== undefined);
  return isTold ? rowKeyOf(values, buyer ?? '') : '';
}

/** The buyer book, and what a person said of lines: which mean the same buyer, and which row each corrects. */
type Telling = {
  book: BuyerBook;
  sameBuyer?: readonly number[] | undefined;
  mendedRow: (cells: readonly string[]) => string;
  /** For a results file: which buyer each of its rows has. */
  known?: RecordedBuyerLookup | undefined;
};

/**
 * Finds the buyer of each line. Answers the lines of `sameBuyer` whose buyer is the same without that. Must be called after all other checks
 * of the lines, since only a valid line may add a buyer to the book. A line whose buyer is unclear gets a problem.
 */
export async function tellBuyers(
  drafts: LineDraft[],
  { book, sameBuyer = [], mendedRow, known }: Telling,
): Promise<number[]> {
  const asked: { draft: LineDraft; line: BuyerLine }[] = [];
  for (const draft of drafts) {
    const { record, values, problems } = draft;
    if (sameBuyer.includes(record.line)) values.same_buyer = 'yes';
    const told = { line: record.line, isSound: problems.length === 0, mends: mendedRow(record.cells) };
    const line = buyerLineOf(values, told);
    if (!line) continue;
    if (known) {
      const buyer = known(line, record.cells);
      if (buyer === undefined) problems.push(makeProblem(record.line, null, null, NOT_ITS_CELLS));
      if (buyer) line.known = buyer;
      // A line without a row, or with other cells than its row, does not prove which buyer it means.
      else line.isSound = false;
    }
    asked.push({ draft, line });
  }
  const decisions = await book.tell(asked.map(({ line }) => line));
  for (const [place, { draft }] of asked.entries()) draft.decision = decisions[place];
  return asked.flatMap(({ line: { line } }, place) =>
    decisions[place]?.isSaidInVain && sameBuyer.includes(line) ? [line] : [],
  );
}

function makeLimit(values: Values): Limit {
  const limit: Limit = { requested_limit: values.requested_limit ?? '' };
  const contact: Limit['contact'] = {};
  fill(limit, LIMIT, values);
  fill(contact, CONTACT, values);
  if (Object.keys(contact).length > 0) limit.contact = contact;
  return limit;
}

/** Copies the values of these columns into the fields of a body. Missing values are left out. */
function fill(body: { [field: string]: unknown }, columns: ReturnType<typeof columnsIn>, values: Values): void {
  for (const { column, field } of columns) {
    const value = values[column];
    if (value) body[field] = value;
  }
}

const COMPANY = columnsIn('company');
const ADDRESS = columnsIn('company.address');
const LIMIT = columnsIn('limit');
const CONTACT = columnsIn('limit.contact');

const NOT_ITS_CELLS = 'The cells of this line were changed, so they no longer match the row that it names.';
