import type { IncomingMessage } from 'node:http';
import type { ArrivedEvent, KeepEvent, KeptAs } from './arrived-event.ts';
import type { EventEnd } from './event-ends.ts';
import type { ListenerLimits } from './listener-limits.ts';

/** One that is large must not be turned away since another is here. */
const LARGEST_AT_ONCE = 4;

/** What Node keeps of a request beside its headers and body, as measured: 3 to 4 kB. */
const REQUEST_BYTES = 4_096;

/** What became of an event, and why it failed where it did. */
export type TakenEvent = { end: EventEnd; error?: unknown };

/**
 * Takes one event in: reads its body, and hands it to who keeps it.
 *
 * @param given.maxBytes of a body
 * @param given.limits how long is waited for who keeps it (what is kept later than that is known when it is sent again), and what all may take
 * @returns a function that answers what became of one, and never rejects. It is told how to say that the body is awaited, for a
 * sender that asks before it sends it
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
    // It is in memory until then, however long somebody waits for it.
    void keeping.finally(stay.leave).catch(() => {});
    try {
      return { end: await inTime(keeping, keepMs) };
    } catch (error) {
      return { end: 'failed', error };
    }
  };
}

async function begin(keep: KeepEvent, event: ArrivedEvent): Promise<KeptAs> {
  return await keep(event);
}

function headersBytes({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, 0);
}

async function inTime(keeping: Promise<KeptAs>, limitMs: number): Promise<KeptAs> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it was not kept within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([keeping, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What proves who somebody is, under the names that are usual for it: kept by nobody who does not check it. */
const PROOFS = /authorization|cookie|api-?key|auth-?token/;

/** Proxies pass on the address that was asked for, and with it the secret. */
const MASK = '[secret]';

/**
 * The headers that are kept of an event: all, in lower case and in their order, each as often as it came, but for those that prove who
 * somebody is, and without the secret wherever it stands in one.
 */
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

/** Why there is no body: it is larger than it may be, there is no room for it now, or its sender has gone in the middle of it. */
type NoBody = 'too large' | 'busy' | 'broken off';

/**
 * Reads a request's body as the bytes that came, whatever their type says. Stops at the first byte too many: what follows is thrown
 * away as it comes. Never rejects.
 */
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

/** The size that a body says it will have (RFC 9112, section 6.2); 0 where it says none. Node has checked that it is a number. */
function declaredBytes({ headers }: Pick<IncomingMessage, 'headers'>): number {
  return Number(headers['content-length'] ?? 0);
}

/** What one event holds of the room: it takes more while more of it comes, and gives all back at its end. */
type Stay = { take: (bytes: number) => boolean; leave: () => void };

/** A number of bytes for all events that are here at once, read or waiting for Redis: however many come, memory does not grow beyond. */
function makeRoom(sizeBytes: number): { enter: () => Stay } {
  let used = 0;
  return {
    enter() {
      let own = 0;
      return {
        /** Answers whether there was room for it. */
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
