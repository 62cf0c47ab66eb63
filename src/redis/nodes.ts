import { Cluster, type Redis } from 'ioredis';
import type { RedisConnection } from '../lua-script.ts';

/** The servers behind a working connection: one, or the primaries of a cluster. */
export function nodesOf(connection: RedisConnection): Redis[] {
  return connection instanceof Cluster ? connection.nodes('master') : [connection];
}
