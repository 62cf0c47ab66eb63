import type { HealthFact } from '../../../src/console/pages/health/add-health-page.ts';
import type { Context } from '../../../src/context.ts';
import { findWeakness } from '../../../src/redis/given-redis.ts';
import { nodesOf, readInfo, type ServerInfo } from '../../../src/redis/server-info.ts';
import { bytesText, elapsedText } from './figures-text.ts';

/** Redis: address, response time, memory, and weak persistence. */
export async function redisPart({ redis, ledger }: Context): Promise<HealthFact[]> {
  const askedMs = performance.now();
  await ledger.ping();
  const tookMs = performance.now() - askedMs;
  const facts: HealthFact[] = [
    { term: 'Where', what: redis.where },
    { term: 'Answers in', what: `${tookMs.toFixed(1)} ms`, ...(tookMs > SLOW_MS ? { kind: 'warn' as const } : {}) },
  ];
  for (const node of nodesOf(ledger)) {
    const info = await readInfo(node);
    facts.push(...ofNode(info));
    for (const weakness of await findWeakness(node, info))
      facts.push({ term: 'Persistence', what: weakness, kind: 'warn' });
  }
  return facts;
}

/** Scripts of the ledger take at least so long then, and each row needs fifteen of them. */
const SLOW_MS = 100;

function ofNode(info: ServerInfo): HealthFact[] {
  const limit = Number(info.maxmemory ?? 0);
  const used = Number(info.used_memory ?? 0);
  const isFull = limit > 0 && used > 0.9 * limit;
  const memory = `${bytesText(used)}${limit > 0 ? ` of ${bytesText(limit)}` : ', no limit set'}`;
  return [
    { term: 'Version', what: info.redis_version ?? 'not told' },
    { term: 'Memory', what: memory, ...(isFull ? { kind: 'bad' as const } : {}) },
    { term: 'Up for', what: `${elapsedText(Number(info.uptime_in_seconds ?? 0) * 1_000)}` },
    ...(Number(info.connected_slaves ?? 0) > 0 ? [{ term: 'Replicas', what: info.connected_slaves ?? '' }] : []),
    ...(info.aof_last_write_status === 'err' || info.rdb_last_bgsave_status === 'err'
      ? [
          {
            term: 'Last write to disk',
            what: 'it failed: look at the log of Redis and the space on its disk',
            kind: 'bad' as const,
          },
        ]
      : []),
  ];
}
