import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisConnection } from '../lua-script.ts';
import { onceAtATime } from '../once-at-a-time.ts';
import { writeAnyway } from '../redis-memory/memory.ts';
import { parseInfo, type ServerInfo } from './server-info.ts';

/** The number of replicas that must have a write before it is relied on. */
type ExpectedReplicas = () => number | Promise<number>;

/**
 * Counts the replicas of a Redis. The highest number ever seen by any process is expected for good: a replica that is away or loads its data
 * may still become the next primary.
 *
 * The number is kept at `key`; on a cluster the node of this key is asked. The first call waits for a count; later ones answer at once, and
 * count again in the background if the last count is older than {@link LOOK_EVERY_MS} or than the connection.
 *
 * @param fixed expects this number whatever is seen; 0 for none
 * @throws what Redis says, if the first count fails
 */
export function makeExpectedReplicas(given: {
  connection: RedisConnection;
  key: string;
  fixed: number | undefined;
  log: Log;
}): ExpectedReplicas {
  const { connection, key, fixed, log } = given;
  if (fixed !== undefined) return () => fixed;
  let most: number | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  const look = onceAtATime(async (): Promise<number> => {
    lookedAtMs = performance.now();
    const { remembered, seen } = await lookAt(connection, key);
    const found = Math.max(most ?? 0, remembered, seen);
    if (found > remembered) await writeAnyway(connection, 'ZADD', key, 'GT', found, MOST);
    if (found > (most ?? 0))
      log.info({ replicas: found }, 'each call waits from now on until all replicas of Redis have its record');
    most = found;
    return found;
  });
  connection.on('ready', () => {
    lookedAtMs = Number.NEGATIVE_INFINITY;
  });

  return () => {
    if (most !== undefined && performance.now() - lookedAtMs < LOOK_EVERY_MS) return most;
    const looking = look();
    if (most === undefined) return looking;
    looking.catch((error) => log.debug({ reason: messageOf(error) }, 'the replicas could not be counted'));
    return most;
  };
}

/** Interval of counts: a new replica counts within seconds, and counting costs Redis as much as one call's claim. */
const LOOK_EVERY_MS = 3_000;

/** The only member of the sorted set at the key; a sorted set can be told to only accept greater scores (GT). */
const MOST = 'most';

/**
 * Seconds of silence after which a replica no longer counts. It acknowledges every second, so a silent one may be gone and already be
 * replaced.
 */
const SILENT_AFTER_S = 5;

async function lookAt(connection: RedisConnection, key: string): Promise<{ remembered: number; seen: number }> {
  const answers = (await connection.pipeline().zscore(key, MOST).info('replication').exec()) ?? [];
  const [remembered, info] = answers.map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
  return { remembered: Number(remembered ?? 0), seen: countReplicas(parseInfo(String(info))) };
}

/**
 * The number of replicas in `INFO replication`, also of those that still load the data. Addresses are counted: a program that only fetches
 * a copy (`redis-cli --rdb`) has no port, and one replica may have two connections while it loads.
 */
export function countReplicas(info: ServerInfo): number {
  const places = new Set<string>();
  for (const [field, value] of Object.entries(info)) {
    if (!/^slave\d+$/.test(field)) continue;
    const facts = Object.fromEntries(value.split(',').map((fact) => fact.split('=', 2))) as Record<string, string>;
    const silent = facts.state === 'online' && Number(facts.lag) > SILENT_AFTER_S;
    if (facts.port !== '0' && !silent) places.add(`${facts.ip}:${facts.port}`);
  }
  return places.size;
}
