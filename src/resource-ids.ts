/** With what the service's ids begin, where that is shown (docs/service.md, "Ids"); a document's id is shown without. */
export const COMPANY_ID_PREFIX = 'company_';
export const LIMIT_ID_PREFIX = 'bl_';
