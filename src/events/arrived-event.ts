/** An event as it arrived. Neither its format nor a signature is known (docs/service.md, "Events"). */
export type ArrivedEvent = {
  /** The exact bytes of the body, not decoded or unpacked; may be empty. */
  body: Buffer;
  /** The request's headers, names in lower case, without credentials (`authorization`, cookies). */
  headers: Record<string, string | string[]>;
  /** When the event arrived, in ms. */
  atMs: number;
};

/**
 * The outcome of keeping an event: `kept`, it is in Redis; `known`, Redis had the same content, and counted it once more; `full`, nothing
 * was kept.
 */
export type KeptAs = 'kept' | 'known' | 'full';

/** Keeps an event. The sender gets its response only after this has resolved. Rejects if Redis fails. */
export type KeepEvent = (event: ArrivedEvent) => Promise<KeptAs>;

/**
 * The outcomes of what is sent to the listener:
 *
 * - `kept`, `known`: the event is in Redis now, or an event of the same content was in Redis before
 * - `full`: the space for events is used up; `failed`: Redis did not take it in time
 * - `busy`: too many events wait in this process; `stopping`: the process ends
 * - `too many`, `too large`: more events than EVENTS_PER_SECOND, more bytes than EVENTS_MAX_KB
 * - `broken off`: its connection ended in the middle, or it took too long
 * - `wrong secret`, `not here`: another last part of the URL, or anything but `POST /events/…`
 * - `unreadable`: not HTTP, headers too large, or too slow
 * - `crowded`: too many connections
 */
export const EVENT_ENDS = [
  'kept',
  'known',
  'full',
  'failed',
  'busy',
  'stopping',
  'too many',
  'too large',
  'broken off',
  'wrong secret',
  'not here',
  'unreadable',
  'crowded',
] as const;
export type EventEnd = (typeof EVENT_ENDS)[number];

/** The response to the sender: a status, a small JSON text, and seconds after which to retry if that may help. */
type EventAnswer = { status: number; body: string; retryAfterS?: number };

/**
 * Seconds after which the sender is asked to retry a failed event: Redis is usually back by then. If the space for events is full, that may
 * take longer.
 */
const SOON_S = 5;

/** Seconds after which the sender may retry if there were more events than EVENTS_PER_SECOND, which counts each second anew. */
const NEXT_SECOND_S = 1;

/** The same response for a wrong secret and an unknown URL, so that nobody learns that there is a secret. */
const NOT_FOUND: EventAnswer = { status: 404, body: said({ error: 'not found' }) };

/** The response to each outcome. Only events that are in Redis are reported as kept. */
export const EVENT_ANSWERS: Readonly<Record<EventEnd, EventAnswer>> = {
  kept: { status: 200, body: said({ status: 'kept' }) },
  known: { status: 200, body: said({ status: 'kept' }) },
  full: { status: 503, body: said({ error: 'not kept: full' }), retryAfterS: SOON_S },
  failed: { status: 503, body: said({ error: 'not kept' }), retryAfterS: SOON_S },
  busy: { status: 503, body: said({ error: 'not kept: busy' }), retryAfterS: SOON_S },
  stopping: { status: 503, body: said({ error: 'not kept: stopping' }), retryAfterS: SOON_S },
  'too many': { status: 429, body: said({ error: 'too many a second' }), retryAfterS: NEXT_SECOND_S },
  'too large': { status: 413, body: said({ error: 'too large' }) },
  'wrong secret': NOT_FOUND,
  'not here': NOT_FOUND,
  // No response is sent for these outcomes: nobody can read it, or Node has responded before there was a request.
  'broken off': { status: 400, body: '' },
  unreadable: { status: 400, body: '' },
  crowded: { status: 503, body: '' },
};

function said(words: Record<string, string>): string {
  return `${JSON.stringify(words)}\n`;
}
