import type { BuyerLine } from '../identity/buyer.ts';
import { type BuyerIdentity, buyerKey, identifiersOf, likenessOf, requestKey } from '../identity/identity.ts';
import type { Values } from './read-cells.ts';
import type { Company, Limit, Row } from './row.ts';

/** The body of the company call. `name` must be there. */
export function makeCompany(values: Values): Company {
  const company: Company = { name: values.name ?? '', address: { state: values.state ?? null } };
  const { address } = company;
  if (values.country_code) address.country_code = values.country_code;
  if (values.city) address.city = values.city;
  if (values.street) address.street = values.street;
  if (values.website) company.website = values.website;
  return company;
}

/** The key of the company that valid values speak of, by themselves: of the supplier, whom no other lines speak of. */
export function buyerKeyOf(values: Values): string {
  return buyerKey(identityOf(values));
}

/** How the line is told its buyer; undefined where its values say too little. */
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
    ...likenessOf(identity),
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

/** The row that valid values lead to, without its documents. `name` and `requested_limit` must be there. */
export function makeRow(values: Values, buyer: string): Row {
  const limit = makeLimit(values);
  const key = rowKeyOf(values, buyer);
  const row: Row = { key, buyer, name: values.name ?? '', company: makeCompany(values), limit, documents: [] };
  if (values.company_id) row.companyId = values.company_id;
  if (values.statements_dated) row.statementsDated = values.statements_dated;
  return row;
}

/** The key of the request that a faulty line would make, as far as its sound values and buyer tell; '' where they do not. */
export function faultyKeyOf(values: Values, buyer: string | undefined): string {
  const isTold = values.request_reference || (values.requested_limit !== undefined && buyer !== undefined);
  return isTold ? rowKeyOf(values, buyer ?? '') : '';
}

// Field by field, and not in a loop over names: the fields keep their types, and it is what a million lines can afford.
function makeLimit(values: Values): Limit {
  const limit: Limit = { requested_limit: values.requested_limit ?? '' };
  if (values.business_information_source) limit.business_information_source = values.business_information_source;
  if (values.business_information_id) limit.business_information_id = values.business_information_id;
  if (values.company_registration_number) limit.company_registration_number = values.company_registration_number;
  const contact: Limit['contact'] = {};
  if (values.contact_first_name) contact.first_name = values.contact_first_name;
  if (values.contact_last_name) contact.last_name = values.contact_last_name;
  if (values.contact_email) contact.email = values.contact_email;
  if (Object.keys(contact).length > 0) limit.contact = contact;
  return limit;
}
