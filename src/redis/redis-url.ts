import { LimitlineError, messageOf } from '../errors.ts';

/** Host and port of a Redis or Sentinel. */
type Endpoint = { host: string; port: number };

export type Credentials = { username?: string; password?: string };

/** The parsed `REDIS_URL`. */
export type RedisAddress = Credentials &
  (
    | { kind: 'single'; endpoint: Endpoint; tls: boolean; db: number }
    | { kind: 'cluster'; endpoints: Endpoint[]; tls: boolean }
    | { kind: 'sentinel'; endpoints: Endpoint[]; master: string; db: number }
  );

/**
 * Reads `REDIS_URL`, in one of three forms:
 *
 * - `redis://[[user]:password@]host[:port][/db]`, and `rediss://` for TLS;
 * - several of these, separated by commas: a cluster (one of them with credentials and scheme is enough, a db is not possible);
 * - `redis+sentinel://[[user]:password@]host[:port][,host2[:port2]]/masterName[/db]`.
 *
 * User and password are percent-encoded. Ports default to 6379, and to 26379 for sentinels.
 *
 * @throws LimitlineError `SETTINGS`; the message never repeats the text, which may contain a password
 */
export function parseRedisUrl(text: string): RedisAddress {
  const parts = text.trim().split(',').map(parsePart);
  const [first] = parts;
  const scheme = first?.scheme;
  if (!first || !isScheme(scheme)) throw fault('must begin with redis://, rediss:// or redis+sentinel://');
  if (parts.some((part) => part.scheme !== undefined && part.scheme !== scheme)) {
    throw fault(`mixes ${scheme}:// with other schemes; use the same one for all addresses`);
  }
  const credentials = parts.find((part) => part.credentials)?.credentials ?? {};
  const endpoints = parts.map(({ host, port }) => ({ host, port: port ?? DEFAULT_PORTS[scheme] }));
  const tls = scheme === 'rediss';
  if (scheme === 'redis+sentinel') return { kind: 'sentinel', endpoints, ...masterOf(parts), ...credentials };
  if (parts.length === 1) {
    return {
      kind: 'single',
      endpoint: { host: first.host, port: portOf(first) },
      tls,
      db: dbOf(first.path),
      ...credentials,
    };
  }
  if (parts.some((part) => dbOf(part.path) !== 0))
    throw fault('names a database, but a cluster has only database 0; leave it out');
  return { kind: 'cluster', endpoints, tls, ...credentials };
}

/** The fault of a text that is no `REDIS_URL`, as the rest of a sentence about it; undefined if there is none. */
export function faultOfRedisUrl(text: string): string | undefined {
  try {
    parseRedisUrl(text);
    return undefined;
  } catch (error) {
    return messageOf(error).replace(/^REDIS_URL |\.$/g, '');
  }
}

/** The address for people, without user and password. */
export function describeRedis(address: RedisAddress): string {
  const list = (endpoints: Endpoint[]) =>
    endpoints.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',');
  switch (address.kind) {
    case 'single':
      return `${address.tls ? 'rediss' : 'redis'}://${list([address.endpoint])}/${address.db}`;
    case 'cluster':
      return `${address.tls ? 'rediss' : 'redis'}://${list(address.endpoints)}`;
    case 'sentinel':
      return `redis+sentinel://${list(address.endpoints)}/${address.master}/${address.db}`;
  }
}

const DEFAULT_PORTS = { redis: 6379, rediss: 6379, 'redis+sentinel': 26379 };
type Scheme = keyof typeof DEFAULT_PORTS;

type Part = {
  scheme: string | undefined;
  credentials: Credentials | undefined;
  host: string;
  port: number | undefined;
  path: string;
};

/** Scheme, user info (up to the last @, since people forget to encode it), host (IPv6 in brackets), port, path. */
const PART = /^(?:([a-z+]+):\/\/)?(?:(.*)@)?(?:\[([\da-f:.]+)\]|([^:/?#@[\]\s]+))(?::(\d{1,5}))?(\/[^?#]*)?$/i;

function parsePart(text: string): Part {
  const match = PART.exec(text.trim());
  if (!match)
    throw fault(
      'must have the form redis://host:port/db, with user:password@ before the host if Redis asks for a login; percent-encode special characters in a password',
    );
  const [, scheme, userInfo, ipv6, name, digits, path = ''] = match;
  const port = digits === undefined ? undefined : Number(digits);
  if (port === 0 || (port !== undefined && port > 65_535)) throw fault(`has the port ${port}; use 1 to 65535`);
  return {
    scheme: scheme?.toLowerCase(),
    credentials: userInfo === undefined ? undefined : credentialsOf(userInfo),
    host: ipv6 ?? name ?? '',
    port,
    path: path.replace(/^\/|\/$/g, ''),
  };
}

function credentialsOf(userInfo: string): Credentials {
  const colon = userInfo.indexOf(':');
  if (colon < 0) throw fault('has only one of user and password before the @; write user:password@ or :password@');
  const username = decode(userInfo.slice(0, colon));
  const password = decode(userInfo.slice(colon + 1));
  return { ...(username && { username }), ...(password && { password }) };
}

function masterOf(parts: Part[]): { master: string; db: number } {
  const [master, db, ...rest] = (parts.at(-1)?.path ?? '').split('/');
  if (!master || rest.length > 0 || parts.slice(0, -1).some((part) => part.path !== '')) {
    throw fault('must end with /masterName or /masterName/db, once, after the last sentinel');
  }
  return { master: decode(master), db: dbOf(db ?? '') };
}

function dbOf(path: string): number {
  if (!/^\d{0,5}$/.test(path)) throw fault('must have nothing but the number of a database after the host');
  return Number(path);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw fault('has a % that encodes nothing; write %25 for a percent sign');
  }
}

const portOf = (part: Part): number => part.port ?? DEFAULT_PORTS.redis;

function isScheme(text: string | undefined): text is Scheme {
  return text !== undefined && Object.hasOwn(DEFAULT_PORTS, text);
}

const fault = (sentence: string): LimitlineError => new LimitlineError('SETTINGS', `REDIS_URL ${sentence}.`);
