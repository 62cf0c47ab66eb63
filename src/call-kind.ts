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

/** The fields of a response besides the id, as text: amounts stay as they were written. */
export type CallRecord = Readonly<Record<string, string>>;

/**
 * The outcome of a call that makes something. The service's answer gives it (service/answer-meaning.ts), the ledger records it
 * (ledger/calls/at-most-once.ts), and the row's step ends with it (jobs/steps). `wasUnknown`: the outcome had been unknown until now, so other
 * rows may be held because of it.
 */
export type CallOutcome =
  /** The thing exists under this id. `row`: the row for which it was made earlier, if nothing was sent this time. */
  | { is: 'made'; id: string; record: CallRecord; row?: string | undefined; wasUnknown?: boolean }
  /** The thing was made before under this request key, for a line with another buyer or amount; nothing was sent. */
  | { is: 'other'; id: string }
  /** The service refused: nothing was made. */
  | { is: 'refused'; status: number; body: string; wasUnknown?: boolean }
  /** Nothing was made, and the row is not at fault: too many calls, or a status in SERVICE_NOT_MADE. */
  | { is: 'throttled'; status: number; reason: string }
  /** Nothing was made; it is not clear yet whether because of the token, the credentials or this call. */
  | { is: 'unauthorized'; status: 401; body: string }
  /** The service could not be reached, so the request never left. */
  | { is: 'unreachable'; reason: string }
  /** The call was claimed and then not sent, for a reason of ours: its permit or token was gone by then, or its breaker was tripped. */
  | { is: 'unsent'; reason: string }
  /**
   * The call was sent, and its outcome is unknown. `brief` is the reason without any text of the answer. `isOthers`: the answer was to
   * another request, and `body` is that answer. `sentFor`: the other row for which it was sent, if that asks for something else.
   */
  | {
      is: 'unknown';
      reason: string;
      brief?: string;
      sentMs?: number;
      isOthers?: boolean;
      body?: string | undefined;
      sentFor?: string;
    }
  /** The response has an id, and belongs to another request: another company, another amount, or the id of another limit. */
  | { is: 'not ours'; id: string; reason: string; brief: string; body: string }
  /** The service put this row off several times, while other rows of its step passed. */
  | { is: 'put off'; reason: string; times: number }
  /** The call is sent later, with a new permit. `putOffs` counts how often the service put the row off while other rows passed. */
  | { is: 'later'; again: 'new permit'; reason: string; putOffs?: number; wasUnknown?: boolean }
  /** The call is sent later: after so many ms, when the row's portfolio is resumed, or when another person has approved the row. */
  | { is: 'later'; again: number | 'resumed' | 'approved'; reason: string }
  /** Nothing was sent, since the row was given up or has another request by now. */
  | { is: 'moved' };

/** The outcomes that a sender may report. */
export type Sent = Extract<CallOutcome, { is: 'made' | 'not ours' | 'refused' | 'unknown' | NotNow }>;

/** The outcomes that the ledger reports to a row. */
export type Settled = Exclude<CallOutcome, { is: NotNow | 'not ours' }>;

/** Outcomes with which nothing was made, and nothing is decided about the row. */
type NotNow = 'throttled' | 'unauthorized' | 'unreachable' | 'unsent';
