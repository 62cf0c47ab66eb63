import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { LimitlineError } from '../errors.ts';
import { noConnectionWords } from '../no-connection.ts';
import { type ForwardProxy, proxyWantsCredentials } from '../proxy.ts';

/** Timeouts for the two stages of a connection, in ms. */
export type TunnelLimits = { connectMs: number; tlsMs: number };

/**
 * Connects to an https service through a proxy, for undici's pool: CONNECT (RFC 9110, section 9.3.6), then TLS with the service inside. No
 * byte of a call is written before both are done, so a call whose connection fails here was never sent.
 *
 * Fails with `CREDENTIALS` when the proxy refuses them (407), with `SERVICE` when it is unreachable or refuses to
 * connect; errors inside the tunnel are undici's. undici's `ProxyAgent` is not used: it distinguishes a 407 from a 502
 * only in its message, and waits minutes for the proxy's answer.
 */
export function makeTunnelConnector(
  proxy: ForwardProxy,
  { connectMs, tlsMs }: TunnelLimits,
  closing: AbortSignal,
): buildConnector.connector {
  // Only HTTP/1.1, as without a proxy; the reason is in outlet.ts.
  const startTls = buildConnector({ timeout: tlsMs, allowH2: false });
  return (options, callback) => {
    // An https address without a port means port 443; CONNECT needs the number.
    const authority = `${options.host ?? options.hostname}${options.port ? '' : ':443'}`;
    openTunnel(proxy, authority, { limitMs: connectMs, closing })
      .then((httpSocket) => startTls({ ...options, httpSocket }, callback))
      .catch((error) => callback(error, null));
  };
}

/** Asks the proxy for a connection to `authority` (host:port), and resolves with its socket. */
function openTunnel(
  proxy: ForwardProxy,
  authority: string,
  { limitMs, closing }: { limitMs: number; closing: AbortSignal },
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const asked = askToConnect(proxy, authority, closing);
    const timer = setTimeout(() => asked.destroy(new Error(`no answer to CONNECT within ${limitMs} ms`)), limitMs);
    asked.once('connect', ({ statusCode: status = 0 }, socket: Socket, head: Buffer) => {
      clearTimeout(timer);
      if (status >= 200 && status < 300) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket);
      }
      socket.on('error', () => {});
      socket.destroy();
      if (status === 407) return reject(proxyWantsCredentials(proxy));
      reject(
        new LimitlineError('SERVICE', `the proxy ${proxy.where} refuses to connect to ${authority}: status ${status}`),
      );
    });
    asked.once('error', (error) => {
      clearTimeout(timer);
      const message = `the proxy ${proxy.where} makes no connection to ${authority}: ${noConnectionWords(error)}`;
      reject(new LimitlineError('SERVICE', message, { cause: error }));
    });
    asked.end();
  });
}

function askToConnect({ url, authorization }: ForwardProxy, authority: string, closing: AbortSignal): ClientRequest {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return request({
    host: url.hostname.replace(/^\[(.+)\]$/, '$1'),
    port: url.port || undefined,
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...(authorization ? { 'proxy-authorization': authorization } : {}) },
    // The socket becomes a tunnel, so it must not be pooled.
    agent: false,
    signal: closing,
  });
}
