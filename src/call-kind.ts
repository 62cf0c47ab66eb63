/** The kinds of call that make something at the service: the token call makes nothing, and is none of them. */
export const CALL_KINDS = ['company', 'document', 'limit'] as const;
export type CallKind = (typeof CALL_KINDS)[number];
