/** The columns that mean something to us; all others are the finance team's own. */
export const KNOWN_COLUMNS = [
  'name',
  'country_code',
  'city',
  'street',
  'state',
  'website',
  'business_information_source',
  'business_information_id',
  'company_registration_number',
  'requested_limit',
  'contact_first_name',
  'contact_last_name',
  'contact_email',
  'supporting_documents',
  'statements_dated',
  'buyer_reference',
  'request_reference',
  'company_id',
  'currency',
  'same_buyer',
] as const;
export type KnownColumn = (typeof KNOWN_COLUMNS)[number];

/** Without these no request can be made; which fields the service itself requires is not shown. */
export const NEEDED = ['name', 'requested_limit'] as const satisfies readonly KnownColumn[];

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
  return (KNOWN_COLUMNS as readonly string[]).includes(name);
}
