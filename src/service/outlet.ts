import type { buildConnector } from 'undici';
// Of its own file: with all of undici, its fetch and its caches, a command would start some 35 ms later.
import Pool from 'undici/lib/dispatcher/pool.js';
import { isLimitlineError, LimitlineError } from '../errors.ts';
import { noConnectionWords } from '../no-connection.ts';
import { type ForwardProxy, proxyWantsCredentials } from '../proxy.ts';
import { type Post, type Reply, send } from './send.ts';
import type { TunnelLimits } from './tunnel.ts';

export type Outlet = ReturnType<typeof makeOutlet>;

/** undici does not hear an abort while it connects, so this bounds it. */
const CONNECT_TIMEOUT_MS = 5_000;

/** For a proxy to answer CONNECT: it is reached first, and then looks the name up and connects in its turn. */
const TUNNEL_TIMEOUT_MS = 2 * CONNECT_TIMEOUT_MS;

/** Below the 5 s after which common servers close an idle connection: a POST must not meet that race. */
const KEEP_ALIVE_MS = 4_000;

/**
 * Where calls leave this process: connections to the service, direct or through a proxy, kept open while they are used.
 *
 * Through a proxy an https service is reached by a tunnel, and an http one by asking the proxy for the whole address
 * (RFC 9112, section 3.2.2), since proxies commonly refuse tunnels to other ports than 443. In both cases a pool of
 * undici's writes the calls, so that whether one left is told as surely as without a proxy: inside the tunnel, or to the
 * proxy, which may have passed on whatever reached it.
 *
 * HTTP/1.1 alone is spoken: over HTTP/2 undici sends a POST again by itself when a server says that it refused the stream
 * or goes away, and whether that is safe is not the connection's to decide.
 *
 * @param origin scheme, host and port of the service
 * @param connections at most so many at once
 */
export function makeOutlet({
  origin,
  connections,
  proxy,
  tunnelTimeoutMs = TUNNEL_TIMEOUT_MS,
}: {
  origin: string;
  connections: number;
  proxy: ForwardProxy | undefined;
  tunnelTimeoutMs?: number;
}) {
  const closing = new AbortController();
  const forwards = proxy !== undefined && origin.startsWith('http:');
  const limits = { connectMs: tunnelTimeoutMs, tlsMs: CONNECT_TIMEOUT_MS };
  const pool = new Pool(forwards ? proxy.url.origin : origin, {
    connections,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    connect:
      proxy && !forwards
        ? connectByTunnel(proxy, limits, closing.signal)
        : { timeout: CONNECT_TIMEOUT_MS, allowH2: false },
  });

  return {
    /**
     * Sends one POST and waits for the whole answer, as `send` says. Rejects with `CREDENTIALS`, and only where the proxy
     * wants another user or password: the call was then not passed on.
     */
    async send(post: Post): Promise<Reply> {
      const reply = await send(pool, forwards ? forwarded(post, origin, proxy) : post);
      if (reply.is === 'silence' && !reply.sent) {
        if (isLimitlineError(reply.error, 'CREDENTIALS')) throw reply.error;
        // The service's address may be right, then.
        if (forwards) return { ...reply, error: proxyAway(proxy, reply.error) };
      }
      // Inside a tunnel a 407 would be the service's own, and an answer like any other.
      if (forwards && reply.is === 'answer' && reply.status === 407) throw proxyWantsCredentials(proxy);
      return reply;
    },

    /** Ends all connections at once, also those that are being made. */
    async close(): Promise<void> {
      closing.abort();
      await pool.destroy();
    },
  };
}

/** Tunnels, and Node's own http with them, are loaded where there is a proxy: few have one, and that takes some 30 ms. */
function connectByTunnel(proxy: ForwardProxy, limits: TunnelLimits, closing: AbortSignal): buildConnector.connector {
  const loaded = import('./tunnel.ts').then(({ makeTunnelConnector }) => makeTunnelConnector(proxy, limits, closing));
  return (options, callback) => {
    loaded.then((connect) => connect(options, callback)).catch((error) => callback(error, null));
  };
}

/** The call as a proxy wants it that passes it on. */
function forwarded(post: Post, origin: string, { url, authorization }: ForwardProxy): Post {
  return {
    ...post,
    path: origin + post.path,
    headers: {
      ...post.headers,
      host: new URL(origin).host,
      ...(authorization ? { 'proxy-authorization': authorization } : {}),
    },
    // undici would look in the proxy's certificate for the host header's name, which is the service's.
    ...(url.protocol === 'https:' ? { serverName: url.hostname } : {}),
  };
}

function proxyAway({ where }: ForwardProxy, error: Error): LimitlineError {
  return new LimitlineError('SERVICE', `the proxy ${where} is not reached: ${noConnectionWords(error)}`, {
    cause: error,
  });
}
