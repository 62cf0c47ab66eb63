import type { RedisConnection } from '../../src/lua-script.ts';

/** A key of Redis and all that is in it, as one text. */
type KeyContent = { key: string; value: string };

/** All keys of a prefix, whatever their type, those of the queues too, each with its whole content. */
export async function keyContents({
  ledger,
  settings,
}: {
  ledger: RedisConnection;
  settings: { LIMITLINE_PREFIX: string };
}): Promise<KeyContent[]> {
  const names = await ledger.keys(`*${settings.LIMITLINE_PREFIX}*`);
  return Promise.all(names.map(async (key) => ({ key, value: await contentOf(key, ledger) })));
}

async function contentOf(key: string, redis: RedisConnection): Promise<string> {
  switch (await redis.type(key)) {
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'list':
      return (await redis.lrange(key, 0, -1)).join('\n');
    case 'set':
      return (await redis.smembers(key)).join('\n');
    case 'zset':
      return (await redis.zrange(key, '0', '-1')).join('\n');
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'));
    default:
      return (await redis.get(key)) ?? '';
  }
}
