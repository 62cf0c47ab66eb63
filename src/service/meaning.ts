import { messageOf } from '../errors.ts';
import { readMade } from './resource.ts';
import type { ResourceKind } from './schemas.ts';
import type { Headers, Heard } from './send.ts';

/**
 * What an answer means for the thing that was asked for. `headers` go to the pace, which may read a wish in them.
 * 401 is no meaning: the client renews the token and asks again.
 */
export type Answer =
  | { meaning: 'made'; id: string; record: Record<string, string>; headers: Headers }
  | { meaning: 'refused'; status: number; body: string; headers: Headers }
  | { meaning: 'throttled'; status: number; heard: string; headers: Headers }
  | { meaning: 'unreachable'; heard: string }
  | { meaning: 'unknown'; heard: string };

/** Enough of a refusal to see why, little enough to keep a hundred thousand of them. */
const KEPT_BODY_BYTES = 2_048;

/** The service says nothing of its errors, so these follow from HTTP alone (RFC 9110, section 15; RFC 6585, section 4). */
const THROTTLED = new Set([429, 503]);
const UNKNOWN_4XX = new Set([408]);

/**
 * Decides what an answer, or its absence, means. Pure, and the only place where this is decided.
 *
 * The rule behind the table: `refused`, `throttled` and `unreachable` are said only where nothing can have been made,
 * `made` only where the id is in our hands. Everything else is unknown.
 */
export function meaningOf(kind: ResourceKind, heard: Heard): Answer {
  if (heard.is === 'silence') {
    const reason = messageOf(heard.error);
    if (!heard.sent) return { meaning: 'unreachable', heard: reason };
    const status = heard.status === undefined ? '' : ` after status ${heard.status}`;
    return { meaning: 'unknown', heard: `${reason}${status}` };
  }
  const { status, headers, text } = heard;
  if (status >= 200 && status < 300) {
    const made = readMade(kind, text);
    if (made.is === 'made') return { meaning: 'made', id: made.id, record: made.record, headers };
    return { meaning: 'unknown', heard: `status ${status}, but ${made.why}: ${cut(text)}` };
  }
  if (THROTTLED.has(status)) return { meaning: 'throttled', status, heard: `status ${status}`, headers };
  if (status >= 300 && status < 500 && !UNKNOWN_4XX.has(status)) {
    return { meaning: 'refused', status, body: cut(text), headers };
  }
  return { meaning: 'unknown', heard: `status ${status}: ${cut(text)}` };
}

/** The first 2 kB, never half a character. */
function cut(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length <= KEPT_BODY_BYTES
    ? text
    : new TextDecoder().decode(bytes.subarray(0, KEPT_BODY_BYTES), { stream: true });
}
