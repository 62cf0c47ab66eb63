import type { RedisConnection } from '../lua-script.ts';
import type { AuditKeys } from './append.ts';
import type { EntryDraft } from './entry.ts';
import { CHECKPOINT, type CheckpointFacts } from './own-entries.ts';
import type { TrailReader } from './read-trail.ts';

/** The deleted entries: the last number, and how many. */
export type Cut = { upTo: number; count: number };

/**
 * Deletes entries older than a time. Before that it appends a checkpoint: the last deleted number, its link, and the number of entries. A
 * trail that begins behind a checkpoint is complete; any other beginning is a fault. Without old entries nothing is written.
 */
export async function cutTrail(
  { beforeMs, by, from }: { beforeMs: number; by: string; from: string },
  {
    connection,
    keys,
    reader,
    append,
  }: {
    connection: RedisConnection;
    keys: AuditKeys;
    reader: TrailReader;
    append: (draft: EntryDraft) => Promise<number>;
  },
): Promise<Cut | undefined> {
  const [oldest, last] = await Promise.all([reader.at(0), reader.lastOlder(beforeMs)]);
  if (oldest?.place === undefined || last?.place === undefined) return undefined;
  const count = last.place - oldest.place + 1;
  const facts: CheckpointFacts & { before: string } = {
    upTo: last.place,
    link: last.link,
    count,
    before: new Date(beforeMs).toISOString(),
  };
  await append({ by, what: CHECKPOINT, from, facts });
  await connection.xtrim(keys.audit, 'MINID', `${last.place + 1}-0`);
  return { upTo: last.place, count };
}
