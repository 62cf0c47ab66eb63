import type { IncomingMessage } from 'node:http';
import { inTime } from '../in-time.ts';
import type { ArrivedEvent, EventEnd, KeepEvent, KeptAs } from './arrived-event.ts';
import type { ListenerLimits } from './guard-connections.ts';

/**
 * How many events of the largest size always fit into the memory for events, so that none of them is rejected because another is being
 * read.
 */
const LARGEST_AT_ONCE = 4;

/** Bytes of memory that Node takes for a request, without its headers and body; measured: 3 to 4 kB. */
const REQUEST_BYTES = 4_096;

/** The outcome of an event, and the error if it failed. */
type TakenEvent = { end: EventEnd; error?: unknown };

/**
 * Reads an event's body and passes it to `keep`.
 *
 * @param given.maxBytes most bytes of a body
 * @param given.limits time to wait for `keep` (an event kept later is `known` when it is sent again), and memory for all events
 * @returns a function that answers the outcome of an event, and never rejects. Its second argument tells a sender that asked first to send
 * the body
 */
export function makeTakeEvent({
  keep,
  secret,
  maxBytes,
  limits: { keepMs, roomBytes },
}: {
  keep: KeepEvent;
  secret: string;
  maxBytes: number;
  limits: Pick<ListenerLimits, 'keepMs' | 'roomBytes'>;
}): (request: IncomingMessage, goOn: () => void) => Promise<TakenEvent> {
  const room = makeRoom(Math.max(roomBytes, LARGEST_AT_ONCE * maxBytes));
  const notKept = () => {
    throw new Error(`it was not kept within ${keepMs} ms`);
  };
  return async (request, goOn) => {
    if (declaredBytes(request) > maxBytes) return { end: 'too large' };
    const stay = room.enter();
    const atMs = Date.now();
    if (!stay.take(REQUEST_BYTES + headersBytes(request))) return { end: 'busy' };
    goOn();
    const body = await readBody(request, { maxBytes, stay });
    if (typeof body === 'string') {
      stay.leave();
      return { end: body };
    }
    const keeping = begin(keep, { body, headers: keptHeaders(request, secret), atMs });
    // The event takes memory until `keep` has ended, even if the sender has been answered.
    void keeping.finally(stay.leave).catch(() => {});
    try {
      return { end: await inTime(keeping, keepMs, notKept) };
    } catch (error) {
      return { end: 'failed', error };
    }
  };
}

const begin = async (keep: KeepEvent, event: ArrivedEvent): Promise<KeptAs> => await keep(event);

function headersBytes({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, 0);
}

/** Parts of the names of headers that contain credentials; such headers are not kept. */
const PROOFS = /authorization|cookie|api-?key|auth-?token/;

/** The text that replaces the secret in kept headers: proxies put the requested URL, and so the secret, into them. */
const MASK = '[secret]';

/** The headers to keep: all in order, with lower-case names and repeated values, except credentials, and with the secret masked. */
function keptHeaders(
  { headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>,
  secret: string,
): Record<string, string | string[]> {
  const kept = Object.entries(headersDistinct).flatMap(([name, values = []]) => {
    if (PROOFS.test(name)) return [];
    const [first = '', ...more] = values.map((value) => value.replaceAll(secret, MASK));
    return [[name.replaceAll(secret.toLowerCase(), MASK), more.length === 0 ? first : [first, ...more]] as const];
  });
  return Object.fromEntries(kept);
}

/** Why there is no body: it is too large, there is no room for it now, or its sender has gone. */
type NoBody = 'too large' | 'busy' | 'broken off';

/** Reads the exact bytes of a request's body, of any type. Stops at the first byte too many, and discards the rest. Never rejects. */
function readBody(
  request: IncomingMessage,
  { maxBytes, stay }: { maxBytes: number; stay: Stay },
): Promise<Buffer | NoBody> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let sizeBytes = 0;
    const stop = (found: Buffer | NoBody): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      pieces.length = 0;
      resolve(found);
    };
    const refuse = (why: NoBody): void => {
      stop(why);
      request.resume();
    };
    const onData = (piece: Buffer): void => {
      sizeBytes += piece.length;
      if (sizeBytes > maxBytes) refuse('too large');
      else if (stay.take(piece.length)) pieces.push(piece);
      else refuse('busy');
    };
    const onEnd = (): void => stop(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, sizeBytes));
    const onClose = (): void => stop('broken off');
    request.on('data', onData).once('end', onEnd).once('close', onClose).once('error', onClose);
  });
}

/** The declared size of a body (RFC 9112, section 6.2); 0 for none. Node has checked that it is a number. */
const declaredBytes = ({ headers }: Pick<IncomingMessage, 'headers'>): number => Number(headers['content-length'] ?? 0);

/** The share of one event in the memory for events: `take` reserves more as bytes arrive, `leave` gives all of it back. */
type Stay = { take: (bytes: number) => boolean; leave: () => void };

/** Limits the memory for all events in this process, being read or waiting for Redis. */
function makeRoom(sizeBytes: number): { enter: () => Stay } {
  let used = 0;
  return {
    enter() {
      let own = 0;
      return {
        /** Reserves further bytes for the event; false if there is no room for them. */
        take(bytes) {
          if (used + bytes > sizeBytes) return false;
          used += bytes;
          own += bytes;
          return true;
        },
        leave() {
          used -= own;
          own = 0;
        },
      };
    },
  };
}
