/** What an answer said of a thing besides its id, as text: amounts stay as they were written. */
export type CallRecord = Readonly<Record<string, string>>;

/**
 * What became of a call that makes something: told by the service's answer (service/meaning.ts), written down by the ledger
 * (ledger/at-most-once.ts), and what a row's step ends by (jobs/steps). `wasUnknown` says that nobody had known it until now, so
 * that other rows may be held for it.
 */
export type Outcome =
  /** It exists under this id. `row` is the one it was made for earlier, where nothing was sent this time. */
  | { is: 'made'; id: string; record: CallRecord; row?: string | undefined; wasUnknown?: boolean }
  /** It was made before under this name, for a line that asked for another buyer or amount; nothing was sent. */
  | { is: 'other'; id: string }
  /** The service said no: nothing was made. */
  | { is: 'refused'; status: number; body: string; wasUnknown?: boolean }
  /** Nothing was made, through no fault of the row's: too fast, or a status that SERVICE_NOT_MADE names. */
  | { is: 'throttled'; status: number; reason: string }
  /** Nothing was made; whether for the token, the credentials or this very call is not clear yet. */
  | { is: 'unauthorized'; status: 401; body: string }
  /** The request certainly never left, since the service could not be reached. */
  | { is: 'unreachable'; reason: string }
  /** It was claimed and then not sent, for a reason of ours: its permit or its token was gone by then, or its breaker was tripped. */
  | { is: 'unsent'; reason: string }
  /**
   * It was sent, and nobody knows what became of it. `brief` is the reason without anything of the answer's body. `isOthers` where
   * the answer was to somebody else's request.
   */
  | { is: 'unknown'; reason: string; brief?: string; sentMs?: number; isOthers?: boolean }
  /** The answer has an id, and is to somebody else's request: another company, another amount, or an id that another limit has. */
  | { is: 'not ours'; id: string; reason: string; brief: string }
  /** The service put this row off again and again while others of its step passed. */
  | { is: 'put off'; reason: string; times: number }
  /** Not now, but with a new permit; `putOffs` counts how often this row alone was put off. */
  | { is: 'later'; again: 'new permit'; reason: string; putOffs?: number; wasUnknown?: boolean }
  /** Not now: again after so many ms, or once its portfolio is resumed, or another person has approved it. */
  | { is: 'later'; again: number | 'resumed' | 'approved'; reason: string }
  /** Nothing was sent, since the row was given up or has other words by now. */
  | { is: 'moved' };

/** What a sender may say of what it was let send. */
export type Sent = Extract<Outcome, { is: 'made' | 'not ours' | 'refused' | 'unknown' | NotNow }>;

/** What the ledger says of a call to the row that wanted it. */
export type Settled = Exclude<Outcome, { is: NotNow | 'not ours' }>;

/** Nothing was made, and nothing is decided about the row. */
type NotNow = 'throttled' | 'unauthorized' | 'unreachable' | 'unsent';
