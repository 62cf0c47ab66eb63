import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { RedisConnection } from '../lua-script.ts';
import { onceAtATime } from '../once-at-a-time.ts';
import { writeAnyway } from '../redis-memory/write-anyway.ts';
import { parseInfo, type ServerInfo } from './server-info.ts';

/** How many replicas a write must be on before it is relied on, as far as is known now. */
type ExpectedReplicas = () => number | Promise<number>;

/**
 * Keeps count of the replicas of a Redis: the most that were ever seen, by any process, are expected for good. A replica
 * that is away or is reading all its data again may be the next primary all the same, so it is not counted out.
 *
 * What is seen is kept at `key`, on a cluster also the key whose node is looked at. The first question waits for a look;
 * later ones are answered at once, and look again behind the answer where the last look is {@link LOOK_EVERY_MS} old
 * or of before a new connection.
 *
 * @param fixed so many are expected, whatever is seen; 0 for none
 * @throws what Redis says, when it cannot be asked the first time
 */
export function makeExpectedReplicas({
  connection,
  key,
  fixed,
  log,
}: {
  connection: RedisConnection;
  key: string;
  fixed: number | undefined;
  log: Log;
}): ExpectedReplicas {
  if (fixed !== undefined) return () => fixed;
  let most: number | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  const look = onceAtATime(async (): Promise<number> => {
    lookedAtMs = performance.now();
    const { remembered, seen } = await lookAt(connection, key);
    const found = Math.max(most ?? 0, remembered, seen);
    if (found > remembered) await writeAnyway(connection, 'ZADD', key, 'GT', found, MOST);
    if (found > (most ?? 0)) log.info({ replicas: found }, 'nothing is sent before all replicas of Redis know of it');
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

/** A new replica counts within seconds; a look costs as much as a single call's place in the ledger. */
const LOOK_EVERY_MS = 3_000;

/** The one member of the sorted set at the key; a sorted set can be told to take a greater number only (GT). */
const MOST = 'most';

/** A replica acknowledges every second; one that has not for so long may be gone, and its successor stands beside it. */
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
 * The replicas that `INFO replication` names: those that follow, and those that still read the data. A program that
 * only fetches a copy (`redis-cli --rdb`) names no port, and one replica may have two connections while it reads.
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
