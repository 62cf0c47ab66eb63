import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ListenerLimits } from './listener-limits.ts';

/** Outcomes of connections without a request. */
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
    /** Closes a connection whose bytes are no request, or came too slowly. */
    refuse(error: Error & { code?: string }, socket: Socket): void {
      // Nobody reads it if the sender has gone; and a request under way must not take it for its own response.
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
      // Any other expectation is ignored.
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

/**
 * Closes the connection of a request that got its response before it was complete, unless the rest arrives in time. Node discards the rest;
 * closing at once would take the response from a sender that is still sending.
 */
function closeUnread(request: IncomingMessage, lingerMs: number): void {
  const isLeft = (): boolean => !request.complete && !request.destroyed;
  if (!isLeft()) return;
  // Usually the rest came with the headers and is read by the next turn, so that a flood leaves no timers.
  setImmediate(() => {
    if (!isLeft()) return;
    setTimeout(() => {
      if (isLeft()) request.socket.destroy();
    }, lingerMs).unref();
  });
}
