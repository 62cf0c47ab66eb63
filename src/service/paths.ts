import { eachKind, KINDS } from '../call-kind.ts';

/**
 * Where each call goes, below the base address (docs/service.md, "Calls"). All four are POST. Not beside the schemas, which
 * who only calls does not need.
 */
export const SERVICE_PATHS = { token: '/v1/auth/token', ...eachKind((kind) => KINDS[kind].path) } as const;
