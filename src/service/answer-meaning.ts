import type { AnswerHeaders } from '../answer-headers.ts';
import type { CallKind, Sent } from '../call-kind.ts';
import type { AnswerCheck } from '../config.ts';
import { messageOf } from '../errors.ts';
import { noConnectionWords } from '../no-connection.ts';
import { type Made, readMade } from './resource.ts';
import type { Reply } from './send.ts';

/** The meaning of an answer, with its headers, which may ask for a lower rate. */
export type Answer = Extract<Sent, { is: Meaning }> & { headers: AnswerHeaders };

/** All outcomes except `unsent`, which needs no answer. */
type Meaning = Exclude<Sent['is'], 'unsent'>;

type Asked = {
  notMade?: readonly number[] | undefined;
  sent?: Fields | undefined;
  answerCheck?: AnswerCheck | undefined;
  read?: ((text: string) => Made) | undefined;
};

type Fields = Readonly<Record<string, unknown>>;

/** Bytes that are kept of a refusal's body: enough to show the reason, and few enough to keep a hundred thousand bodies. */
const KEPT_BODY_BYTES = 2_048;

/**
 * The statuses with a meaning of their own. They are those of HTTP (RFC 9110, section 15; RFC 6585, section 4), since the service documents
 * no errors.
 */
const TOO_FAST = 429;
const UNAUTHORIZED = 401;
/** 303 leads to the result of a request that was carried out (RFC 9110, section 15.4.4). */
const UNKNOWN_3XX_4XX = new Set([303, 408]);
/** The highest status of HTTP. Some servers send higher numbers, and no setting accepts those. */
const MOST_STATUS = 599;

/** undici's only message for an unsolicited `100 Continue` (RFC 9110, section 15.2.1), after which it stops reading. */
const UNASKED = 'bad response';

/**
 * Decides the meaning of an answer, or of a missing one. Pure, and the only place that decides it. settle.lua adds one
 * case: the id already belongs to another limit.
 *
 * `refused`, `throttled`, `unauthorized` and `unreachable` are used only if nothing can have been made, `made` and `not ours` only if
 * the id is known. Everything else is unknown. That includes 503, which proxies also send when the connection broke after they had
 * passed the request on.
 *
 * @param asked.notMade statuses besides 429 with which this service made nothing (`SERVICE_NOT_MADE`)
 * @param asked.sent the request's body, which an answer must not contradict
 * @param asked.read reads the body of a 2xx answer in place of {@link readMade}
 * @param asked.answerCheck `warn` accepts a limit's answer with any company and amount (`SERVICE_ANSWER_CHECK`)
 */
export function meaningOf(
  kind: CallKind | 'session',
  reply: Reply,
  { notMade = [], sent, read, answerCheck = 'hold' }: Asked = {},
): Answer {
  if (reply.is === 'silence') {
    if (!reply.sent) return { is: 'unreachable', reason: noConnectionWords(reply.error), headers: {} };
    const message = messageOf(reply.error);
    const what = message === UNASKED ? `${message}, such as a 100 Continue that nobody asked for` : message;
    const why = reply.status === undefined ? what : `${what} after status ${reply.status}`;
    return { is: 'unknown', reason: why, brief: why, headers: {} };
  }
  const { status, headers, text } = reply;
  if (status >= 200 && status < 300) {
    const made = madeOf(() => (read || kind === 'session' ? (read?.(text) ?? NOT_READ) : readMade(kind, text, sent)));
    if (made.is === 'made') {
      const { id, record, others } = made;
      if (others === undefined || answerCheck === 'warn') return { is: 'made', id, record, headers };
      const brief = `status ${status}, but it answers another request`;
      return { is: 'not ours', id, reason: `${brief} (${id}): ${others}`, brief, body: firstBytes(text), headers };
    }
    const why = `status ${status}, but ${made.why}`;
    return { is: 'unknown', reason: `${why}: ${firstBytes(text)}`, brief: why, headers };
  }
  if (status === TOO_FAST || notMade.includes(status)) {
    return { is: 'throttled', status, reason: `status ${status}`, headers };
  }
  if (status === UNAUTHORIZED) return { is: 'unauthorized', status, body: firstBytes(text), headers };
  if (status >= 300 && status < 500 && !UNKNOWN_3XX_4XX.has(status)) {
    return { is: 'refused', status, body: firstBytes(text), headers };
  }
  const why = `status ${status}`;
  return { is: 'unknown', reason: `${why}${settingHint(status)}: ${firstBytes(text)}`, brief: why, headers };
}

/**
 * What a 2xx answer made. It never throws, since the call has left: an error here would give its claim back, and the call would be sent
 * again. A body that is nested some thousand levels deep exceeds the stack.
 */
function madeOf(read: () => Made): Made {
  try {
    return read();
  } catch (error) {
    return { is: 'unreadable', why: `its body cannot be read (${messageOf(error)})` };
  }
}

const NOT_READ: Made = { is: 'unreadable', why: 'nothing says how its body is read' };

/** A hint in the held row's problem: a person may know that this status means that nothing was made. */
function settingHint(status: number): string {
  return status >= 500 && status <= MOST_STATUS
    ? ` (if this service makes nothing then, name ${status} in SERVICE_NOT_MADE)`
    : '';
}

/** The status in a held row's problem for which it suggests `SERVICE_NOT_MADE`; undefined if there is none. */
export function hintedStatus(problem: string): number | undefined {
  const status = /, name (\d{3}) in SERVICE_NOT_MADE\)/.exec(problem)?.[1];
  return status === undefined ? undefined : Number(status);
}

/** The first 2 kB, without half a character at the end. */
function firstBytes(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length <= KEPT_BODY_BYTES
    ? text
    : new TextDecoder().decode(bytes.subarray(0, KEPT_BODY_BYTES), { stream: true });
}
