import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback, plainAddress } from '../../addresses.ts';
import { t } from '../html/html.ts';
import type { Reach } from './reach.ts';

/** The answer to a refused request: a status and the reason. */
export type Refusal = { status: 400 | 403 | 405 | 421; words: string };

/** The client that sent a request. */
export type RequestClient = {
  /** The client's address: that of the connection, or as trusted proxies report it. */
  address: string;
  /** Whether a trusted proxy forwarded the request. */
  isPassedOn: boolean;
};

/**
 * Headers that proxies add. Unless a trusted proxy sends them, a client has forged them, or an unknown proxy makes every client look local.
 */
const FORWARDED = /^(?:x-forwarded-|forwarded$|x-real-ip$|x-original-|via$|cf-connecting-ip$|true-client-ip$)/;

/**
 * The client of a request: the other end of the connection, or behind a trusted proxy (`CONSOLE_TRUST_PROXY`) the last address
 * of `X-Forwarded-For` that is no such proxy. Earlier addresses in that header were written by the client. `X-Forwarded-Proto`
 * must say https, and `X-Forwarded-Host`, if sent, must be the console's name. `Forwarded` (RFC 7239) is ignored: two headers
 * for one fact could contradict each other.
 */
export function whoAsks(
  { headers, from }: { headers: IncomingHttpHeaders; from: string | undefined },
  reach: Pick<Reach, 'host' | 'home' | 'isProxy'>,
): RequestClient | Refusal {
  const named = Object.keys(headers).find((name) => FORWARDED.test(name));
  const { isProxy } = reach;
  if (!isProxy) {
    if (isLoopback(reach.host) && !isLoopback(from)) return refused(t`The console answers on this machine only.`);
    return named === undefined ? { address: plainAddress(from), isPassedOn: false } : refused(behindNobody(named));
  }
  const isFromProxy = isProxy(from);
  if (!isFromProxy && !isLoopback(from)) return refused(t`The console answers through its proxy only.`);
  if (!isFromProxy && named !== undefined) {
    return refused(
      t`${named} is accepted only from a proxy that CONSOLE_TRUST_PROXY names, and this machine is not one.`,
    );
  }
  if (isFromProxy && (named !== undefined || !isLoopback(from))) return passedOn(headers, { ...reach, isProxy });
  return { address: plainAddress(from), isPassedOn: false };
}

function passedOn(
  headers: IncomingHttpHeaders,
  { home, isProxy }: { home: URL | undefined; isProxy: (address: string | undefined) => boolean },
): RequestClient | Refusal {
  const chain = valuesOf(headers['x-forwarded-for']);
  if (chain.length === 0)
    return refused(t`The proxy in front of the console does not say who asks: it must set X-Forwarded-For.`);
  const protocols = valuesOf(headers['x-forwarded-proto']);
  if (protocols.length === 0 || protocols.some((protocol) => protocol.toLowerCase() !== 'https')) {
    return refused(t`The console is asked by https only, and its proxy must say so: X-Forwarded-Proto: https.`);
  }
  const others = valuesOf(headers['x-forwarded-host']).filter((host) => !isHomeOf(home, host));
  if (others.length > 0) return { status: 421, words: t`The console answers under ${home?.origin} only.` };
  const addresses = chain.map(withoutPort);
  const address = addresses.findLast((one) => !isProxy(one)) ?? addresses[0] ?? '';
  if (isIP(address) === 0)
    return refused(t`X-Forwarded-For of the proxy in front of the console has no address where one must be.`);
  return { address, isPassedOn: true };
}

/** Whether `Host` or `X-Forwarded-Host` is the name under which people open the console. */
export function isHomeOf(home: URL | undefined, host: string): boolean {
  if (!home) return false;
  const port = home.protocol === 'https:' ? ':443' : ':80';
  const name = host.toLowerCase();
  return name === home.host || (home.port === '' && name === `${home.host}${port}`);
}

/** The values of a header, split at commas: several headers of one name are joined by commas (RFC 9110, section 5.3). */
function valuesOf(header: string | string[] | undefined): string[] {
  return String(header ?? '')
    .split(',')
    .map((value) => value.trim())
    .filter(Boolean);
}

/** Removes the port that some proxies append, and the brackets of an IPv6 address with one. */
function withoutPort(text: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(text) ?? [];
  return plainAddress(bracketed ?? plain ?? text);
}

function behindNobody(name: string): string {
  return t`The request came through a proxy (${name}), and CONSOLE_TRUST_PROXY names none that may say who this is. Open the console on the machine itself, or by a tunnel such as ssh -L.`;
}

const refused = (words: string): Refusal => ({ status: 403, words });
