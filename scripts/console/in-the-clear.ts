import { isLoopback } from '../../src/addresses.ts';
import type { Settings } from '../../src/config.ts';
import { signInNeeded } from '../../src/console/server/reach.ts';
import { describeRedis, parseRedisUrl } from '../../src/redis/redis-url.ts';

/**
 * Warnings of unencrypted connections of a console that others can reach, a sentence each (ASVS 5.0, 12.3.1). No refusal,
 * because a container network or tunnel may be protected in other ways.
 */
export function inTheClear(
  settings: Parameters<typeof signInNeeded>[0] & Pick<Settings, 'REDIS_URL' | 'SERVICE_URL'>,
): string[] {
  if (!signInNeeded(settings)) return [];
  const { REDIS_URL: redis, SERVICE_URL: service } = settings;
  return [...(redis === undefined ? [] : redisWords(redis)), ...(service === undefined ? [] : serviceWords(service))];
}

function redisWords(url: string): string[] {
  const address = parseRedisUrl(url);
  const endpoints = address.kind === 'single' ? [address.endpoint] : address.endpoints;
  if ((address.kind !== 'sentinel' && address.tls) || endpoints.every(({ host }) => isLoopback(host))) return [];
  return [
    `Redis' password, sessions and rows cross the network unencrypted between here and ${describeRedis(address)}; use rediss://.`,
  ];
}

function serviceWords(url: string): string[] {
  const { protocol, hostname, origin } = new URL(url);
  if (protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''))) return [];
  return [`The service's credentials and rows cross the network unencrypted between here and ${origin}; use https://.`];
}
