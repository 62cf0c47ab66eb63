import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { portOf } from './port-of.ts';

/** What a receiver does with one call. */
export type Reaction = (answer: ServerResponse, request: IncomingMessage) => unknown;

/** A webhook's receiver on this machine, which keeps the bodies that it was sent, and answers as it is told, 200 by default. */
export async function startReceiver(reaction: Reaction = (answer) => answer.end('ok')) {
  const received: Record<string, unknown>[] = [];
  const heads: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  let react = reaction;
  const listen: RequestListener = async (request, answer) => {
    heads.push(request);
    received.push((await json(request)) as Record<string, unknown>);
    react(answer, request);
  };
  const server = createServer((request, answer) => void Promise.resolve(listen(request, answer)).catch(() => {}));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  const port = await portOf(server);
  return {
    port,
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/hooks/T00/s3cr3t-path?sig=s3cr3t-query`,
    received,
    heads,
    openConnections: () => sockets.size,
    react(next: Reaction): void {
      react = next;
    },
  };
}
