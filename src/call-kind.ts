/**
 * The kinds of call that make something at the service (docs/service.md): the token call makes nothing, and is none of them. `path`: where
 * it goes, below the base address. `prefix`: what its ids begin with, "" where that is not shown. `step`: the step of a row at which it is
 * made. `several` are many of what it makes, `calls` many of its calls; `asked` is what the service's people call it, and `whose` what an
 * id is of. `deciding`: the fields that an answer must repeat as they were sent, where it names them at all. `kept`: the fields of an answer
 * that a report shows; none is asked for, and a status that we never saw passes through.
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

/** Something for each kind. */
export function eachKind<V>(value: (kind: CallKind) => V): Record<CallKind, V> {
  return Object.fromEntries(CALL_KINDS.map((kind) => [kind, value(kind)])) as Record<CallKind, V>;
}
