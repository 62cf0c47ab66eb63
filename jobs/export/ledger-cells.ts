import type { RowRequest } from '../../src/ledger/row.ts';
import type { Company, Limit } from '../../src/portfolio/lines/row.ts';

/** What the ledger knows of a row whose file is gone, by our own names. */
export const LEDGER_COLUMNS = [
  ...['name', 'country_code', 'city', 'street', 'state', 'website', 'business_information_source'],
  ...['business_information_id', 'company_registration_number', 'requested_limit', 'contact_first_name'],
  ...['contact_last_name', 'contact_email', 'supporting_documents', 'company_id'],
];

/** The cells of {@link LEDGER_COLUMNS}; without a row they are empty. */
export function ledgerCells(request: RowRequest | undefined): string[] {
  if (!request) return LEDGER_COLUMNS.map(() => '');
  // The ledger keeps the bodies as they were made when the line was read.
  const { address, website } = (request.company ?? {}) as Partial<Company>;
  const limit: Limit = request.limit;
  const { contact } = limit;
  const cells: (string | null | undefined)[] = [
    ...[request.name, address?.country_code, address?.city, address?.street, address?.state, website],
    ...[limit.business_information_source, limit.business_information_id, limit.company_registration_number],
    ...[limit.requested_limit, contact?.first_name, contact?.last_name, contact?.email],
    ...[request.documents.map((document) => document.name).join('|'), request.companyId],
  ];
  return cells.map((cell) => cell ?? '');
}
