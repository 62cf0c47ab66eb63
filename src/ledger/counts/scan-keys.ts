import type { RedisConnection } from '../../lua-script.ts';

/** Keys that Redis looks at in one go: a fraction of a millisecond. */
const COUNT = 1_000;

/** All keys of a type that begin so, some at a time; one that is there from the beginning to the end comes at least once. */
export async function* scanKeys(
  connection: RedisConnection,
  beginning: string,
  type: 'hash' | 'string' | 'any' = 'hash',
): AsyncGenerator<string[]> {
  const pattern = `${beginning.replace(/[*?[\]\\^]/g, '\\$&')}*`;
  for (const node of nodesOf(connection)) {
    const scan = ['MATCH', pattern, 'COUNT', COUNT] as const;
    yield* scanned((at) => (type === 'any' ? node.scan(at, ...scan) : node.scan(at, ...scan, 'TYPE', type)));
  }
}

/** What a command of Redis' SCAN family finds, page by page; one that is there from the beginning to the end comes at least once. */
export async function* scanned(scan: (cursor: string) => Promise<[string, string[]]>): AsyncGenerator<string[]> {
  let cursor = '0';
  do {
    const [next, found] = await scan(cursor);
    if (found.length > 0) yield found;
    cursor = next;
  } while (cursor !== '0');
}

/** On a cluster each node has keys of its own. */
function nodesOf(connection: RedisConnection) {
  return 'nodes' in connection ? connection.nodes('master') : [connection];
}
