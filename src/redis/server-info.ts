import { Cluster, type Redis } from 'ioredis';
import { LimitlineError } from '../errors.ts';
import type { RedisConnection } from '../lua-script.ts';

/** The fields of `INFO`. */
export type ServerInfo = Readonly<Record<string, string>>;

/**
 * The oldest version of Redis that can serve. Before 7.0 an error inside a script is worded differently (`ERR Error running script …
 * -READONLY …`), so that a Redis that temporarily rejects writes would look like a wrong script.
 */
const OLDEST_VERSION = [7, 0] as const;

/** Reads all sections of a server's `INFO`. */
export async function readInfo(redis: Redis): Promise<ServerInfo> {
  return parseInfo(await redis.info());
}

/** Parses the text of `INFO`. */
export function parseInfo(text: string): ServerInfo {
  return Object.fromEntries(
    text.split('\r\n').flatMap((line) => {
      const colon = line.indexOf(':');
      return colon < 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1)]];
    }),
  );
}

/**
 * Checks that a server's version is new enough.
 *
 * @param place name of the server, to begin a sentence
 * @throws LimitlineError `REDIS` for a version below 7.0; Valkey reports the version with which it is compatible
 */
export function checkVersion(info: ServerInfo, place: string): void {
  const version = info.redis_version ?? 'unknown';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_VERSION;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  const oldest = OLDEST_VERSION.join('.');
  throw new LimitlineError('REDIS', `${place} is version ${version}; Limitline needs ${oldest} or later: update it.`);
}

/** The servers behind a working connection: one, or the primaries of a cluster. */
export function nodesOf(connection: RedisConnection): Redis[] {
  return connection instanceof Cluster ? connection.nodes('master') : [connection];
}
