/** The kinds of call that make something at the service; each has its own idea of "the same thing". */
export const CALL_KINDS = ['company', 'document', 'limit'] as const;
export type CallKind = (typeof CALL_KINDS)[number];
