import type { Redis } from 'ioredis';

/** What a key holds, in an order of its own: bytes as latin1 characters, so that two of them can be compared. */
export type Dump = Map<string, string>;

/** All that stands in Redis under keys that begin so, and have this text in what follows, byte for byte. */
export async function dumpRedis(connection: Redis, beginning: string, text = ''): Promise<Dump> {
  const dump: Dump = new Map();
  for await (const found of connection.scanStream({ match: `${beginning}*${text}*`, count: 1_000 })) {
    for (const key of found as string[]) dump.set(key, await contentOf(connection, key));
  }
  return new Map([...dump].sort(([one], [other]) => (one < other ? -1 : 1)));
}

async function contentOf(connection: Redis, key: string): Promise<string> {
  const type = await connection.type(key);
  const texts = (found: readonly Buffer[]) => found.map((each) => each.toString('latin1'));
  if (type === 'string') return texts([(await connection.getBuffer(key)) ?? Buffer.of()]).join();
  if (type === 'list') return JSON.stringify(texts(await connection.lrangeBuffer(key, '0', '-1')));
  if (type === 'set') return JSON.stringify(texts(await connection.smembersBuffer(key)).sort());
  if (type === 'zset') return JSON.stringify(texts(await connection.zrangeBuffer(key, '0', '-1', 'WITHSCORES')));
  if (type === 'hash') {
    const fields = await connection.hgetallBuffer(key);
    return JSON.stringify(
      Object.entries(fields)
        .map(([field, value]) => [field, value.toString('latin1')])
        .sort(),
    );
  }
  return type;
}

/** Keys whose content differs, with what it was and is; of those that are only in one, nothing for the other. */
export function differences(one: Dump, other: Dump): Record<string, [string | undefined, string | undefined]> {
  const found: Record<string, [string | undefined, string | undefined]> = {};
  for (const key of new Set([...one.keys(), ...other.keys()])) {
    if (one.get(key) !== other.get(key)) found[key] = [one.get(key), other.get(key)];
  }
  return found;
}
