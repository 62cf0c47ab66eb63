import type { Redis } from 'ioredis';
import { LimitlineError } from '../errors.ts';

/** What `INFO` says, field by field. */
export type ServerInfo = Readonly<Record<string, string>>;

/**
 * Before 7.0, an error inside a script has another text (`ERR Error running script … -READONLY …`). A Redis that is read-only for a while
 * would then look like a faulty script.
 */
const OLDEST_VERSION = [7, 0] as const;

/** Asks a server for everything it says of itself. */
export async function readInfo(redis: Redis): Promise<ServerInfo> {
  return parseInfo(await redis.info());
}

/** The text of `INFO`, field by field. */
export function parseInfo(text: string): ServerInfo {
  return Object.fromEntries(
    text.split('\r\n').flatMap((line) => {
      const colon = line.indexOf(':');
      return colon < 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1)]];
    }),
  );
}

/**
 * @param place the server's name for people, as the beginning of a sentence
 * @throws LimitlineError `REDIS` when the version is below 7.0. Valkey names the version it is compatible with.
 */
export function checkVersion(info: ServerInfo, place: string): void {
  const version = info.redis_version ?? 'unknown';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_VERSION;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  const oldest = OLDEST_VERSION.join('.');
  throw new LimitlineError('REDIS', `${place} is version ${version}; Limitline needs ${oldest} or later: update it.`);
}
