import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { t } from '../../../src/console/html/texts.ts';
import type { HealthFact } from '../../../src/console/pages/health/health-routes.ts';
import type { Context } from '../../../src/context.ts';
import { findWeakness } from '../../../src/redis/given-redis.ts';
import { nodesOf, readInfo, type ServerInfo } from '../../../src/redis/server-info.ts';

/** Redis: address, response time, memory, and weak persistence. */
export async function redisPart({ redis, ledger }: Context): Promise<HealthFact[]> {
  const askedMs = performance.now();
  await ledger.ping();
  const tookMs = performance.now() - askedMs;
  const facts: HealthFact[] = [
    { term: t`Where`, what: redis.where },
    { term: t`Answers in`, what: t`${tookMs.toFixed(1)} ms`, ...(tookMs > SLOW_MS ? { kind: 'warn' as const } : {}) },
  ];
  for (const node of nodesOf(ledger)) {
    const info = await readInfo(node);
    facts.push(...ofNode(info));
    for (const weakness of await findWeakness(node, info))
      facts.push({ term: t`Persistence`, what: weakness, kind: 'warn' });
  }
  return facts;
}

/**
 * The response time of Redis, in ms, from which it counts as slow: each script takes at least as long, and each row needs fifteen of them.
 */
const SLOW_MS = 100;

function ofNode(info: ServerInfo): HealthFact[] {
  const limit = Number(info.maxmemory ?? 0);
  const used = Number(info.used_memory ?? 0);
  const isFull = limit > 0 && used > 0.9 * limit;
  const memory = `${bytesText(used)}${limit > 0 ? t` of ${bytesText(limit)}` : t`, no limit set`}`;
  return [
    { term: t`Version`, what: info.redis_version ?? t`not told` },
    { term: t`Memory`, what: memory, ...(isFull ? { kind: 'bad' as const } : {}) },
    { term: t`Up for`, what: `${elapsedText(Number(info.uptime_in_seconds ?? 0) * 1_000)}` },
    ...(Number(info.connected_slaves ?? 0) > 0 ? [{ term: t`Replicas`, what: info.connected_slaves ?? '' }] : []),
    ...(info.aof_last_write_status === 'err' || info.rdb_last_bgsave_status === 'err'
      ? [
          {
            term: t`Last write to disk`,
            what: t`it failed: look at the log of Redis and the space on its disk`,
            kind: 'bad' as const,
          },
        ]
      : []),
  ];
}

/** The free space on the disk, in bytes, below which an import or our own Redis may soon fail. */
const LITTLE_BYTES = 1_000_000_000;
const NEXT_TO_NONE_BYTES = 200_000_000;

/** The most files that are counted: a folder of a hundred thousand documents would take too long. */
const MOST_FILES = 5_000;

/** The data folder: path, size, and free space on its disk. */
export async function diskPart({ settings }: Pick<Context, 'settings'>): Promise<HealthFact[]> {
  const path = settings.LIMITLINE_DATA;
  const { bsize, bavail, blocks } = await statfs(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return NONE;
    throw error;
  });
  if (blocks === 0) return [{ term: t`Data folder`, what: t`${path} (made with the first import)` }];
  const free = bsize * bavail;
  const kind = free < NEXT_TO_NONE_BYTES ? 'bad' : free < LITTLE_BYTES ? 'warn' : undefined;
  const { bytes, isAll } = await sizeOf(path);
  return [
    { term: t`Data folder`, what: path },
    { term: t`Holds`, what: `${isAll ? '' : t`more than `}${bytesText(bytes)}` },
    {
      term: t`Free on its disk`,
      what: t`${bytesText(free)} of ${bytesText(bsize * blocks)}`,
      ...(kind ? { kind } : {}),
    },
  ];
}

const NONE = { bsize: 0, bavail: 0, blocks: 0 };

async function sizeOf(top: string): Promise<{ bytes: number; isAll: boolean }> {
  const folders = [top];
  let [bytes, files] = [0, 0];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile()) continue;
      if (files === MOST_FILES) return { bytes, isAll: false };
      files += 1;
      bytes += await stat(path).then(
        ({ size }) => size,
        () => 0,
      );
    }
  }
  return { bytes, isAll: true };
}

/** `412 MB`, in steps of a thousand; below 10 with one decimal. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `40 s`, `12 min`, `5 h`, `3 days`: a duration in one unit. */
export function elapsedText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 90) return t`${seconds} s`;
  if (seconds < 5_400) return t`${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return t`${Math.round(seconds / 3_600)} h`;
  return t`${Math.round(seconds / 86_400)} days`;
}
