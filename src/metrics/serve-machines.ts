import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LimitlineError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { MachineAnswer, MachineQuestion } from './machine-answers.ts';

/** Time limit for receiving a request, in ms: a scraper sends a line and some headers. */
const REQUEST_LIMIT_MS = 5_000;

/**
 * Listens for requests for health and metrics, in a process that has no other server.
 *
 * @param port 0 for a free port
 * @throws LimitlineError `USAGE` if it cannot listen there
 */
export async function serveMachines(given: {
  host: string;
  port: number;
  answer: (question: MachineQuestion) => Promise<MachineAnswer | undefined>;
  log: Log;
}): Promise<{ url: string; close: () => Promise<void> }> {
  const { host, port, answer, log } = given;
  const server = createServer((request, response) => {
    respond(request, response, answer).catch((error) => {
      log.warn({ reason: messageOf(error) }, 'a question about health or metrics could not be answered');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.requestTimeout = REQUEST_LIMIT_MS;
  server.headersTimeout = REQUEST_LIMIT_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch((error) => {
    const message = `Figures cannot be served at ${host} ${port} (${messageOf(error)}); choose another METRICS_HOST or METRICS_PORT.`;
    throw new LimitlineError('USAGE', message, { cause: error });
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (question: MachineQuestion) => Promise<MachineAnswer | undefined>,
): Promise<void> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const [path = ''] = (request.url ?? '').split('?');
  const { remoteAddress } = request.socket;
  const found = isRead ? await answer({ path, remoteAddress, headers: request.headers }) : undefined;
  const { status, type, body } = found ?? { status: isRead ? 404 : 405, type: 'text/plain', body: '' };
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
