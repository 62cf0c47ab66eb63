/**
 * What may become of what is sent to the listener:
 *
 * - `kept`, `known`: it is in Redis, or its content was there before
 * - `full`: what may be kept of events is used up; `failed`: Redis did not take it in time
 * - `busy`: too much of it waits here; `stopping`: the process ends
 * - `too many`, `too large`: above EVENTS_PER_SECOND, above EVENTS_MAX_KB
 * - `broken off`: its connection ended in the middle of it, or it took too long
 * - `wrong secret`, `not here`: another last part of the address, or anything else than `POST /events/…`
 * - `unreadable`: no HTTP, headers that are too large, or too slow
 * - `crowded`: one connection more than may be open
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

/** What the sender is told: a status, a small JSON text, and after how many seconds to try again where that may help. */
export type EventAnswer = { status: number; body: string; retryAfterS?: number };

/** Redis is back within seconds, as a rule; what is full stays so for longer, but the sender's patience is its own. */
const SOON_S = 5;

/** The allowance of a second is there again after one. */
const NEXT_SECOND_S = 1;

/** One answer to a wrong secret and to whatever else is not here: nobody learns that there is a secret to be found. */
const NOT_FOUND: EventAnswer = { status: 404, body: said({ error: 'not found' }) };

/** What each end is answered with. Nothing is said to be kept that is not in Redis. */
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
  // Nobody is there to read it, or Node has answered before there was a request.
  'broken off': { status: 400, body: '' },
  unreadable: { status: 400, body: '' },
  crowded: { status: 503, body: '' },
};

function said(words: Record<string, string>): string {
  return `${JSON.stringify(words)}\n`;
}
