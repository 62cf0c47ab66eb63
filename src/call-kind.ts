/**
 * The kinds of calls that make something at the service (docs/service.md); the token call makes nothing. `path`: below the base address.
 * `prefix`: how ids of such things begin, "" if unknown. `step`: the step of a row that makes the call. `several`: plural of the thing.
 * `calls`: the calls in words. `asked`: what the service's people call one. `whose`: what an id identifies. `deciding`: fields that a
 * response must repeat as sent, if it has them at all. `kept`: fields of a response that reports show; all are optional, and unknown
 * statuses are accepted.
 */
export const KINDS = {
  company: {
    path: '/invoice-financing/v1/companies',
    prefix: 'company_',
    step: 'company',
    several: 'companies',
    calls: 'company requests',
    asked: 'company',
    whose: 'the company',
    deciding: [],
    kept: [],
  },
  document: {
    path: '/invoice-financing/v1/documents',
    prefix: '',
    step: 'documents',
    several: 'documents',
    calls: 'document uploads',
    asked: 'document',
    whose: 'a document',
    deciding: [],
    kept: [],
  },
  limit: {
    path: '/invoice-financing/v1/buyer-limits',
    prefix: 'bl_',
    step: 'limit',
    several: 'limits',
    calls: 'limit requests',
    asked: 'buyer limit request',
    whose: 'the limit',
    deciding: ['company', 'requested_limit'],
    kept: ['status', 'total_limit', 'available_limit', 'created'],
  },
} as const satisfies Record<string, KindFacts>;

type KindFacts = Readonly<
  Record<'path' | 'prefix' | 'step' | 'several' | 'calls' | 'asked' | 'whose', string> &
    Record<'deciding' | 'kept', readonly string[]>
>;

export type CallKind = keyof typeof KINDS;
export const CALL_KINDS = Object.keys(KINDS) as CallKind[];

export function eachKind<V>(value: (kind: CallKind) => V): Record<CallKind, V> {
  return Object.fromEntries(CALL_KINDS.map((kind) => [kind, value(kind)])) as Record<CallKind, V>;
}
