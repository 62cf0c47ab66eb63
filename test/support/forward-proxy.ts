import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

export type StartedProxy = Awaited<ReturnType<typeof startForwardProxy>>;

/** A fault of the proxy for the next requests. */
export type ProxyFault =
  /** Answers with this status itself, to CONNECT and to requests that it should forward. */
  | { is: 'answers'; status: number; body?: string }
  /** Accepts requests and never answers. */
  | { is: 'silent' }
  /** Makes a tunnel after this time. */
  | { is: 'tunnels late'; afterMs: number }
  /** Closes the connection instead of answering, by FIN or RST. */
  | { is: 'ends'; by: 'fin' | 'rst' }
  /** Answers with something that is not HTTP. */
  | { is: 'babbles' }
  /** Reports a tunnel, and closes it. */
  | { is: 'tunnels nowhere' }
  /** Keeps what the client sends, and forwards nothing. */
  | { is: 'swallows' }
  /** Forwards requests, and closes the connection before or in the middle of the answer. */
  | { is: 'loses answers'; after: 'nothing' | 'half' };

/**
 * A real forward proxy on this machine: it makes tunnels for CONNECT and forwards requests with full addresses. All
 * names lead to port `targetPort` of this machine, because the proxy resolves names.
 */
export async function startForwardProxy({ targetPort, user }: { targetPort: number; user?: string }) {
  let fault: ProxyFault | undefined;
  const sockets = new Set<Socket>();
  const tunnelEnds = new Set<Socket>();
  const heard = { connects: [] as string[], forwarded: [] as string[], swallowedBytes: 0, returnedBytes: 0 };
  const server = createServer();

  const misbehave = (socket: Socket): boolean => {
    if (fault?.is === 'ends') fault.by === 'fin' ? socket.end() : socket.resetAndDestroy();
    else if (fault?.is === 'babbles') socket.end('this is no HTTP\r\n\r\n');
    else return fault?.is === 'silent';
    return true;
  };
  const answerOf = ({ headers }: IncomingMessage): { status: number; body: string } | undefined => {
    const wanted = user === undefined ? undefined : `Basic ${Buffer.from(user).toString('base64')}`;
    if (wanted !== undefined && headers['proxy-authorization'] !== wanted) return { status: 407, body: 'who are you?' };
    return fault?.is === 'answers' ? { status: fault.status, body: fault.body ?? 'the proxy says so' } : undefined;
  };

  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('connect', async (request: IncomingMessage, client: Socket) => {
    heard.connects.push(request.url ?? '');
    const answer = answerOf(request);
    if (answer) {
      client.end(`HTTP/1.1 ${answer.status} No\r\ncontent-length: ${answer.body.length}\r\n\r\n${answer.body}`);
      return;
    }
    if (misbehave(client)) {
      // The client is read here, because otherwise its end would not be noticed.
      client.resume().on('end', () => client.destroy());
      return;
    }
    if (fault?.is === 'tunnels late') await sleep(fault.afterMs);
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (fault?.is === 'tunnels nowhere') {
      client.end();
      return;
    }
    const target = connect(targetPort, '127.0.0.1');
    tunnelEnds.add(client).add(target);
    client.on('data', (data) => {
      if (fault?.is === 'swallows') heard.swallowedBytes += data.length;
      else target.write(data);
    });
    target.on('data', (data) => {
      heard.returnedBytes += data.length;
      client.write(data);
    });
    for (const [end, other] of [[client, target] as const, [target, client] as const]) {
      end.on('error', () => {});
      end.on('end', () => other.end());
      end.on('close', () => other.destroy());
    }
  });
  server.on('request', (request: IncomingMessage, reply: ServerResponse) => {
    heard.forwarded.push(request.url ?? '');
    const answer = answerOf(request);
    if (answer) return void request.resume().once('end', () => reply.writeHead(answer.status).end(answer.body));
    if (misbehave(request.socket)) return;
    passOn(request, reply);
  });

  const passOn = (request: IncomingMessage, reply: ServerResponse): void => {
    const { pathname } = new URL(request.url ?? '');
    const { method, headers } = request;
    if (fault?.is === 'swallows') {
      request.on('data', (data: Buffer) => {
        heard.swallowedBytes += data.length;
      });
      return;
    }
    const upstream = httpRequest({
      host: '127.0.0.1',
      port: targetPort,
      path: pathname,
      method,
      headers,
      agent: false,
    });
    upstream.on('error', () => reply.destroy());
    upstream.on('response', (response) => {
      if (fault?.is === 'loses answers' && fault.after === 'nothing') return void request.socket.resetAndDestroy();
      reply.writeHead(response.statusCode ?? 0, response.headers);
      if (fault?.is === 'loses answers') {
        response.once('data', (data: Buffer) => {
          reply.write(data.subarray(0, data.length / 2), () => request.socket.destroy());
        });
      } else response.pipe(reply);
    });
    request.pipe(upstream);
  };

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endAll = (): void => {
    for (const socket of [...sockets, ...tunnelEnds]) socket.destroy();
  };
  const stop = (): void => {
    server.close();
    endAll();
  };
  onTestFinished(stop);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    /** The received requests: authorities of CONNECT, forwarded addresses, and bytes. */
    heard,
    setFault: (change: ProxyFault | undefined): void => {
      fault = change;
    },
    openConnections: () => sockets.size,
    /** Closes every connection, including tunnels. */
    cut: endAll,
    /** Closes all connections and stops listening. */
    stop,
  };
}
