import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

export type StartedProxy = Awaited<ReturnType<typeof startForwardProxy>>;

/** What the proxy does with the next requests, instead of what it is there for. */
export type ProxyFault =
  /** Answers so itself, to CONNECT and to requests that it should pass on. */
  | { is: 'answers'; status: number; body?: string }
  /** Takes what comes and never answers. */
  | { is: 'silent' }
  /** Makes a tunnel, but takes so long for it. */
  | { is: 'tunnels late'; afterMs: number }
  /** Ends the connection instead of an answer, by FIN or RST. */
  | { is: 'ends'; by: 'fin' | 'rst' }
  /** Answers something that is not HTTP. */
  | { is: 'babbles' }
  /** Says that the tunnel is there, and ends it. */
  | { is: 'tunnels nowhere' }
  /** Keeps what the client sends from here on, and passes nothing on. */
  | { is: 'swallows' }
  /** Passes requests on, and ends the connection before, or in the middle of, what comes back. */
  | { is: 'loses answers'; after: 'nothing' | 'half' };

/**
 * A real forward proxy on this machine: tunnels by CONNECT, and requests for whole addresses passed on. All names lead to
 * this machine's port `targetPort`, since it is the proxy that resolves names.
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
      // Nobody reads it otherwise, and its end would not be noticed.
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
    /** What was asked of it: authorities of CONNECT, addresses to pass on, and bytes. */
    heard,
    setFault: (change: ProxyFault | undefined): void => {
      fault = change;
    },
    openConnections: () => sockets.size,
    /** Ends every connection, tunnels too. */
    cut: endAll,
    /** Ends all, and listens no more. */
    stop,
  };
}
