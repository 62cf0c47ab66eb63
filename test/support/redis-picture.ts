import type { RedisConnection } from '../../src/lua-script.ts';

/** All keys with this prefix and their contents, as comparable data without order. */
export async function pictureOf(connection: RedisConnection, begin: string): Promise<Record<string, unknown>> {
  const names = await keysBeginning(connection, begin);
  const kinds = connection.pipeline();
  for (const name of names) kinds.type(name);
  const types = ((await kinds.exec()) ?? []).map(([, type]) => String(type));
  const step = connection.pipeline();
  for (const [place, name] of names.entries()) {
    if (types[place] === 'hash') step.hgetall(name);
    else if (types[place] === 'zset') step.zrange(name, '0', '-1', 'WITHSCORES');
    else if (types[place] === 'set') step.sort(name, 'ALPHA');
    else if (types[place] === 'list') step.lrange(name, 0, -1);
    else step.get(name);
  }
  const values = (await step.exec()) ?? [];
  return Object.fromEntries(names.map((name, place) => [name.slice(begin.length), ordered(values[place]?.[1])]));
}

/** Fields of a hash have no order. */
function ordered(value: unknown): unknown {
  const isHash = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isHash ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
}

/** The keys that differ between two pictures. */
export function changedIn(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).sort();
}

async function keysBeginning(connection: RedisConnection, begin: string): Promise<string[]> {
  const found = new Set<string>();
  const pattern = `${begin.replace(/[\\*?[\]]/g, '\\$&')}*`;
  let cursor = '0';
  do {
    const [next, names] = await connection.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000);
    for (const name of names) found.add(name);
    cursor = next;
  } while (cursor !== '0');
  return [...found].sort();
}
