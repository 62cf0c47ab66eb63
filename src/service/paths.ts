import { eachKind, KINDS } from '../call-kind.ts';

/**
 * The path of each call below the base address (docs/service.md, "Calls"). All four are POST. In a file of its own,
 * because callers do not need the schemas.
 */
export const SERVICE_PATHS = { token: '/v1/auth/token', ...eachKind((kind) => KINDS[kind].path) } as const;
