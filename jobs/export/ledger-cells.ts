import type { RowRequest } from '../../src/ledger/row.ts';
import type { KnownColumn } from '../../src/portfolio/columns/known-columns.ts';
import type { Company, Limit } from '../../src/portfolio/lines/row.ts';

/** What the ledger knows of a row whose file is gone, by our own names. */
const CELLS = {
  name: ({ name }) => name,
  country_code: (request) => addressOf(request)?.country_code,
  city: (request) => addressOf(request)?.city,
  street: (request) => addressOf(request)?.street,
  state: (request) => addressOf(request)?.state,
  website: (request) => companyOf(request).website,
  business_information_source: (request) => limitOf(request).business_information_source,
  business_information_id: (request) => limitOf(request).business_information_id,
  company_registration_number: (request) => limitOf(request).company_registration_number,
  requested_limit: (request) => limitOf(request).requested_limit,
  contact_first_name: (request) => limitOf(request).contact?.first_name,
  contact_last_name: (request) => limitOf(request).contact?.last_name,
  contact_email: (request) => limitOf(request).contact?.email,
  supporting_documents: ({ documents }) => documents.map(({ name }) => name).join('|'),
  company_id: ({ companyId }) => companyId,
} satisfies Partial<Record<KnownColumn, (request: RowRequest) => string | null | undefined>>;

/** The columns that {@link ledgerCells} fills. */
export const LEDGER_COLUMNS: readonly string[] = Object.keys(CELLS);

/** The cells of {@link LEDGER_COLUMNS}; without a row they are empty. */
export function ledgerCells(request: RowRequest | undefined): string[] {
  return Object.values(CELLS).map((cellOf) => (request && cellOf(request)) ?? '');
}

// The ledger keeps the bodies as they were made when the line was read.

function companyOf({ company }: RowRequest): Partial<Company> {
  return (company ?? {}) as Partial<Company>;
}

function addressOf(request: RowRequest): Company['address'] | undefined {
  return companyOf(request).address;
}

function limitOf({ limit }: RowRequest): Limit {
  return limit;
}
