import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How a connection ended that never sent a readable request. `crowded`: too many connections were open. */
type ConnectionEnd = 'unreadable' | 'crowded';

/** Responses before there is a request, by Node's error code (RFC 9110, sections 15.5.1 and 15.5.9; RFC 6585, section 5). */
const LINES: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/**
 * Enforces a server's limits on connections: their number, bytes that are not HTTP, senders that ask before they send, and senders that keep
 * sending what was rejected.
 *
 * @returns a handler for unreadable bytes (`clientErrorHandler`), and how to ask for a request's body
 */
export function guardConnections(limits: ListenerLimits, onEnd: (end: ConnectionEnd) => void) {
  const underWay = new WeakMap<Socket, number>();
  const asking = new WeakMap<IncomingMessage, ServerResponse>();
  const count = (socket: Socket, more: number): void => void underWay.set(socket, (underWay.get(socket) ?? 0) + more);

  return {
    /** Closes a connection whose bytes are no HTTP request, or came too slowly; tells the sender why, if it can still hear that. */
    refuse(error: Error & { code?: string }, socket: Socket): void {
      // No response is sent if the sender has gone. Nor is one sent if a request under way could take it for its own response.
      const isHeard = socket.writable && error.code !== 'ECONNRESET' && !underWay.get(socket);
      if (isHeard) {
        onEnd('unreadable');
        socket.write(
          `HTTP/1.1 ${LINES[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
        );
      }
      socket.destroy();
    },

    /** Tells a sender that asked (`Expect: 100-continue`) to send its body. */
    goOn: (request: IncomingMessage): void => asking.get(request)?.writeContinue(),

    guard(server: Server): void {
      server.maxConnections = limits.connections;
      server.on('drop', () => onEnd('crowded'));
      server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
        asking.set(request, response);
        server.emit('request', request, response);
      });
      // An expectation other than `100-continue` is ignored.
      server.on('checkExpectation', (request, response) => server.emit('request', request, response));
      server.on('request', (request, response) => {
        count(request.socket, 1);
        response.once('close', () => {
          count(request.socket, -1);
          closeUnread(request, limits.lingerMs);
        });
      });
    },
  };
}

/** The listener's limits for connections. */
export type ListenerLimits = {
  /** Most bytes of a request's headers, including the first line. */
  headersBytes: number;
  headersMs: number;
  /** Time for a whole request, from its first byte. */
  requestMs: number;
  /** Interval of the check for slow connections. */
  lookMs: number;
  /** How long a connection without a request is kept. */
  idleMs: number;
  connections: number;
  /** Memory for all events in this process that are being read or wait for Redis; never less than for four of the largest events. */
  roomBytes: number;
  /** Time to wait until an event is in Redis. */
  keepMs: number;
  /** How long the rest of a rejected request is discarded before the connection is closed, so that the sender reads the response. */
  lingerMs: number;
  /** Time for requests under way when the listener closes. */
  closeMs: number;
};

export const USUAL_LIMITS: Readonly<ListenerLimits> = {
  // The default of Node, twice what nginx allows for one header.
  headersBytes: 16 * 1_024,
  // Time for slow networks: machines send a whole event at once.
  headersMs: 10_000,
  requestMs: 30_000,
  lookMs: 1_000,
  // Longer than proxies keep a connection (nginx 60 s), so that the proxy closes it, and loses no request.
  idleMs: 75_000,
  // About a hundred times as many connections as a proxy keeps open. Each takes some tens of kilobytes.
  connections: 512,
  // Room for the small events that arrive during the five seconds until commands to Redis time out.
  roomBytes: 32 * 1_024 * 1_024,
  // Twice the timeout of commands to Redis (redis/connect.ts), so that these time out first.
  keepMs: 10_000,
  lingerMs: 2_000,
  // Longer than keepMs, and within the 25 s that `up` gives its processes.
  closeMs: 12_000,
};

/**
 * Limits how many events a second are accepted, over all connections; a second's unused share may be used in the next one. It is local to
 * the process, since asking Redis would cost as much as the load that it prevents.
 *
 * @param given.nowMs a monotonic clock
 * @returns whether one more event may come now
 */
export function makeRate(given: { perSecond: number; nowMs?: () => number }): () => boolean {
  const { perSecond, nowMs = () => performance.now() } = given;
  let left = perSecond;
  let atMs = nowMs();
  return () => {
    const now = nowMs();
    left = Math.min(perSecond, left + ((now - atMs) * perSecond) / 1_000);
    atMs = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

/**
 * Closes the connection of a request that got its response before it was complete, unless the rest arrives in time. Node discards the rest;
 * closing at once would take the response from a sender that is still sending.
 */
function closeUnread(request: IncomingMessage, lingerMs: number): void {
  const isLeft = (): boolean => !request.complete && !request.destroyed;
  if (!isLeft()) return;
  // Most often the rest of the request came with the headers and is read in the next turn of the event loop. So a timer is set only after
  // that turn, and a flood of requests leaves no timers behind.
  setImmediate(() => {
    if (!isLeft()) return;
    setTimeout(() => {
      if (isLeft()) request.socket.destroy();
    }, lingerMs).unref();
  });
}
