import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** Stands for the header by which a service may know a repetition. */
const HEADER = 'idempotency-key';

/** One call as it came: where to, with which key, and what it asked for. */
export type SeenCall = { path: string; key: string | undefined; body: string };

/**
 * Stands before a stand-in as a service that honours idempotency keys would: a key that it has answered before gets the
 * same answer, and nothing is made for it. It loses the answers that `loses` chooses, after they were made.
 */
export async function startRememberingProxy(target: string, loses: (call: SeenCall, nth: number) => boolean) {
  const seen: SeenCall[] = [];
  const answers = new Map<string, { status: number; body: Buffer }>();
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    const key = incoming.headers[HEADER];
    const call = { path: incoming.url ?? '', key: typeof key === 'string' ? key : undefined, body: body.toString() };
    seen.push(call);
    const known = call.key === undefined ? undefined : answers.get(call.key);
    const answer = known ?? (await forward(target, incoming, body));
    if (call.key !== undefined) answers.set(call.key, answer);
    const nth = seen.filter(({ path, body: other }) => path === call.path && other === call.body).length;
    if (loses(call, nth)) incoming.socket.destroy();
    else outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  };
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing));
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Calls of one endpoint, in the order in which they came. */
    calls: (endpoint: string) => seen.filter(({ path }) => path.endsWith(endpoint)),
  };
}

function forward(target: string, incoming: IncomingMessage, body: Buffer): Promise<{ status: number; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const { host: _host, ...headers } = incoming.headers;
    const sent = request(new URL(incoming.url ?? '/', target), { method: 'POST', headers }, async (answer) => {
      resolve({ status: answer.statusCode ?? 0, body: await buffer(answer) });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
