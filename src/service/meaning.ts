import type { AnswerHeaders } from '../answer-headers.ts';
import type { CallKind } from '../call-kind.ts';
import type { AnswerCheck } from '../config.ts';
import { messageOf } from '../errors.ts';
import { noConnectionWords } from '../no-connection.ts';
import type { Sent } from '../outcome.ts';
import { readMade } from './resource.ts';
import type { Reply } from './send.ts';

/** What an answer of the service means for the thing that was asked for, and its headers, in which the pace may read a wish. */
export type Answer = Extract<Sent, { is: Meaning }> & { headers: AnswerHeaders };

/** All but what is unsent through us, which is no answer. */
type Meaning = Exclude<Sent['is'], 'unsent'>;

type Asked = {
  notMade?: readonly number[] | undefined;
  sent?: Fields | undefined;
  answerCheck?: AnswerCheck | undefined;
};

type Fields = Readonly<Record<string, unknown>>;

/** Enough of a refusal to see why, little enough to keep a hundred thousand of them. */
const KEPT_BODY_BYTES = 2_048;

/** The service says nothing of its errors, so these follow from HTTP alone (RFC 9110, section 15; RFC 6585, section 4). */
const TOO_FAST = 429;
const UNAUTHORIZED = 401;
const UNKNOWN_4XX = new Set([408]);
/** What lies beyond is no status of HTTP, though some say it, and no setting takes it. */
const MOST_STATUS = 599;

/** All that undici says of a `100 Continue` (RFC 9110, section 15.2.1) that was not asked for; it reads no further. */
const UNASKED = 'bad response';

/**
 * Decides what an answer, or its absence, means. Pure, and the only place where this is decided; the ledger adds that an id is
 * another limit's already (settle.lua).
 *
 * The rule behind the table: `refused`, `throttled` and `unreachable` are said only where nothing can have been made,
 * `made` only where the id is in our hands. Everything else is unknown. So is 503: proxies answer it, too, when the
 * connection broke after the request had been passed on.
 *
 * @param asked.notMade statuses, besides 429, by which this service is known to say that it made nothing (`SERVICE_NOT_MADE`)
 * @param asked.sent the body that was sent, which an answer must not contradict
 * @param asked.answerCheck `warn` takes a limit's answer as ours whatever company and amount it names (`SERVICE_ANSWER_CHECK`)
 */
export function meaningOf(
  kind: CallKind,
  reply: Reply,
  { notMade = [], sent, answerCheck = 'hold' }: Asked = {},
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
    const made = readMade(kind, text, sent);
    if (made.is === 'made') {
      const { id, record, others } = made;
      if (others === undefined || answerCheck === 'warn') return { is: 'made', id, record, headers };
      const brief = `status ${status}, but it answers another request`;
      return { is: 'not ours', id, reason: `${brief} (${id}): ${others}`, brief, headers };
    }
    const why = `status ${status}, but ${made.why}`;
    return { is: 'unknown', reason: `${why}: ${firstBytes(text)}`, brief: why, headers };
  }
  if (status === TOO_FAST || notMade.includes(status)) {
    return { is: 'throttled', status, reason: `status ${status}`, headers };
  }
  if (status === UNAUTHORIZED) return { is: 'unauthorized', status, body: firstBytes(text), headers };
  if (status >= 300 && status < 500 && !UNKNOWN_4XX.has(status)) {
    return { is: 'refused', status, body: firstBytes(text), headers };
  }
  const why = `status ${status}`;
  return { is: 'unknown', reason: `${why}${settingHint(status)}: ${firstBytes(text)}`, brief: why, headers };
}

/** Stands in the problem of a row that such an answer holds, since a person may know what we must not assume. */
function settingHint(status: number): string {
  return status >= 500 && status <= MOST_STATUS
    ? ` (if this service makes nothing then, name ${status} in SERVICE_NOT_MADE)`
    : '';
}

/** The status that a held row's problem wants to be named in `SERVICE_NOT_MADE`, where one does. */
export function hintedStatus(problem: string): number | undefined {
  const status = /, name (\d{3}) in SERVICE_NOT_MADE\)/.exec(problem)?.[1];
  return status === undefined ? undefined : Number(status);
}

/** The first 2 kB, never half a character. */
function firstBytes(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length <= KEPT_BODY_BYTES
    ? text
    : new TextDecoder().decode(bytes.subarray(0, KEPT_BODY_BYTES), { stream: true });
}
