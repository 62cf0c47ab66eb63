import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ListenerLimits } from './listener-limits.ts';

/** What happens to connections beside what is asked on them. */
type ConnectionEnd = 'unreadable' | 'crowded';

/** What is answered before there is a request, by what Node says is wrong (RFC 9110, sections 15.5.1 and 15.5.9; RFC 6585, section 5). */
const LINES: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/**
 * Holds the connections of a server to their limits: how many there are, bytes that are no HTTP, senders who ask before they send, and
 * those who go on sending what was refused.
 *
 * @returns what is to be told of bytes that cannot be read (`clientErrorHandler`), and how a request's body is asked for
 */
export function guardConnections(limits: ListenerLimits, onEnd: (end: ConnectionEnd) => void) {
  const underWay = new WeakMap<Socket, number>();
  const asking = new WeakMap<IncomingMessage, ServerResponse>();
  const count = (socket: Socket, more: number): void => void underWay.set(socket, (underWay.get(socket) ?? 0) + more);

  return {
    /** Closes a connection whose bytes are no request, or came too slowly. */
    refuse(error: Error & { code?: string }, socket: Socket): void {
      // Who has gone hears nothing; and what answers one that is under way must not be taken for its own answer.
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
      // Whatever else somebody expects: it is answered without it.
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
 * Closes the connection of a request that was answered before all of it had come, unless the rest is there in time. Node throws that
 * away; to close at once would take the answer from who is still sending.
 */
function closeUnread(request: IncomingMessage, lingerMs: number): void {
  const isLeft = (): boolean => !request.complete && !request.destroyed;
  if (!isLeft()) return;
  // Of most requests the rest came with the head, and has been gone through by then: a flood of them must not leave a timer with each.
  setImmediate(() => {
    if (!isLeft()) return;
    setTimeout(() => {
      if (isLeft()) request.socket.destroy();
    }, lingerMs).unref();
  });
}
