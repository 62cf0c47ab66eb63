/** What an answer said of a thing besides its id, as text: amounts stay as they were written. */
export type CallRecord = Readonly<Record<string, string>>;

/**
 * The outcome of a call that makes something. The service's answer gives it (service/meaning.ts), the ledger records it
 * (ledger/at-most-once.ts), and the row's step ends with it (jobs/steps). `wasUnknown`: the outcome had been unknown until now, so other
 * rows may be held because of it.
 */
export type Outcome =
  /** It exists under this id. If nothing was sent this time, `row` is the row that it was made for earlier. */
  | { is: 'made'; id: string; record: CallRecord; row?: string | undefined; wasUnknown?: boolean }
  /** It was made earlier under this key, for a line with another buyer or amount; nothing was sent. */
  | { is: 'other'; id: string }
  /** The service said no: nothing was made. */
  | { is: 'refused'; status: number; body: string; wasUnknown?: boolean }
  /** Nothing was made, and the row is not at fault: there were too many calls, or the status is in SERVICE_NOT_MADE. */
  | { is: 'throttled'; status: number; reason: string }
  /** Nothing was made. It is not clear yet whether the token, the credentials or this one call was refused. */
  | { is: 'unauthorized'; status: 401; body: string }
  /** The request never left, because the service could not be reached. */
  | { is: 'unreachable'; reason: string }
  /** It was claimed and then not sent, for a reason of ours: its permit or its token was gone by then, or its breaker was tripped. */
  | { is: 'unsent'; reason: string }
  /**
   * It was sent, and its outcome is unknown. `brief` is the reason without any text of the answer. `isOthers`: the answer was to another
   * request.
   */
  | { is: 'unknown'; reason: string; brief?: string; sentMs?: number; isOthers?: boolean }
  /** The answer has an id, but is to another request: another company, another amount, or an id that another limit has. */
  | { is: 'not ours'; id: string; reason: string; brief: string }
  /** The service put this row off several times, while other rows of its step passed. */
  | { is: 'put off'; reason: string; times: number }
  /** Not now, but with a new permit; `putOffs` counts how often this row alone was put off. */
  | { is: 'later'; again: 'new permit'; reason: string; putOffs?: number; wasUnknown?: boolean }
  /** Not now: again after so many ms, or once its portfolio is resumed, or another person has approved it. */
  | { is: 'later'; again: number | 'resumed' | 'approved'; reason: string }
  /** Nothing was sent, because the row was cancelled, or its request has changed. */
  | { is: 'moved' };

/** The outcomes that a sender may report. */
export type Sent = Extract<Outcome, { is: 'made' | 'not ours' | 'refused' | 'unknown' | NotNow }>;

/** The outcomes that the ledger gives to the row that wanted the call. */
export type Settled = Exclude<Outcome, { is: NotNow | 'not ours' }>;

/** Outcomes with which nothing was made, and nothing is decided about the row. */
type NotNow = 'throttled' | 'unauthorized' | 'unreachable' | 'unsent';
