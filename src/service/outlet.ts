import type { buildConnector } from 'undici';
// Imported from its own file: the whole of undici would delay the start of a command by some 35 ms.
import Pool from 'undici/lib/dispatcher/pool.js';
import { isLimitlineError, LimitlineError } from '../errors.ts';
import { noConnectionWords } from '../no-connection.ts';
import { type ForwardProxy, proxyWantsCredentials } from '../proxy.ts';
import { type Post, type Reply, send } from './send.ts';
import type { TunnelLimits } from './tunnel.ts';

export type Outlet = ReturnType<typeof makeOutlet>;

/** Time limit for connecting, in ms. It is needed, since undici ignores an abort while it connects. */
const CONNECT_TIMEOUT_MS = 5_000;

/** The time for a tunnel: that of two connections, one to the proxy and then the proxy's own to the service. */
const TUNNEL_TIMEOUT_MS = 2 * CONNECT_TIMEOUT_MS;

/**
 * How long idle connections stay open: less than the 5 s after which common servers close them, since a POST must not meet a closing
 * connection.
 */
const KEEP_ALIVE_MS = 4_000;

/**
 * Sends calls over a pool of connections to the service, direct or through a proxy.
 *
 * Through a proxy, an https service is reached by a tunnel, and an http service by requests with the whole address (RFC
 * 9112, section 3.2.2), because proxies commonly refuse tunnels to ports other than 443. Both ways use undici's pool,
 * so `sent` is as reliable as without a proxy. A proxy may have passed on whatever reached it.
 *
 * Only HTTP/1.1 is used. Over HTTP/2, undici repeats a POST by itself when a server refuses the stream or closes. Only
 * the ledger may decide whether a repetition is safe.
 *
 * @param origin scheme, host and port of the service
 * @param connections the maximum number of connections
 */
export function makeOutlet(given: {
  origin: string;
  connections: number;
  proxy: ForwardProxy | undefined;
  tunnelTimeoutMs?: number;
}) {
  const { origin, connections, proxy, tunnelTimeoutMs = TUNNEL_TIMEOUT_MS } = given;
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
     * Sends a POST and waits for the whole answer, see `send`. Rejects only with `CREDENTIALS`, when the proxy refuses its credentials: it
     * has not passed the call on then.
     */
    async send(post: Post): Promise<Reply> {
      const reply = await send(pool, forwards ? forwarded(post, origin, proxy) : post);
      if (reply.is === 'silence' && !reply.sent) {
        if (isLimitlineError(reply.error, 'CREDENTIALS')) throw reply.error;
        // The problem may be the proxy's address, so the message names the proxy.
        if (forwards) return { ...reply, error: proxyAway(proxy, reply.error) };
      }
      // Inside a tunnel, a 407 would come from the service and be an ordinary answer.
      if (forwards && reply.is === 'answer' && reply.status === 407) throw proxyWantsCredentials(proxy);
      return reply;
    },

    /** Closes all connections at once, including those being established. */
    async close(): Promise<void> {
      closing.abort();
      await pool.destroy();
    },
  };
}

/**
 * Connects through a tunnel of the proxy. The code for tunnels is loaded only with a proxy, because it takes some 30 ms with Node's own
 * http.
 */
function connectByTunnel(proxy: ForwardProxy, limits: TunnelLimits, closing: AbortSignal): buildConnector.connector {
  const loaded = import('./tunnel.ts').then(({ makeTunnelConnector }) => makeTunnelConnector(proxy, limits, closing));
  return (options, callback) => {
    loaded.then((connect) => connect(options, callback)).catch((error) => callback(error, null));
  };
}

/** The call in the form that a forwarding proxy expects. */
function forwarded(post: Post, origin: string, { url, authorization }: ForwardProxy): Post {
  return {
    ...post,
    path: origin + post.path,
    headers: {
      ...post.headers,
      host: new URL(origin).host,
      ...(authorization ? { 'proxy-authorization': authorization } : {}),
    },
    // undici would check the proxy's certificate against the host header, which names the service.
    ...(url.protocol === 'https:' ? { serverName: url.hostname } : {}),
  };
}

function proxyAway({ where }: ForwardProxy, error: Error): LimitlineError {
  return new LimitlineError('SERVICE', `the proxy ${where} cannot be reached: ${noConnectionWords(error)}`, {
    cause: error,
  });
}
