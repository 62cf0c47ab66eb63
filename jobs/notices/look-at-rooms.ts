import { statfs } from 'node:fs/promises';
import type { DiskRoom, RedisRoom } from './room-changes.ts';

/** Free space on a folder's disk; nothing where the folder does not exist yet, because the first import makes it. */
export async function lookAtDisk(folder: string): Promise<DiskRoom | undefined> {
  try {
    const { bsize, bavail, blocks, bfree } = await statfs(folder);
    // Like `df`, leaves out what is reserved for root.
    return { freeBytes: bavail * bsize, totalBytes: (blocks - bfree + bavail) * bsize };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The memory of a Redis server from its `INFO`. Without a limit of its own, the machine's memory counts. */
export function readRedisRoom(info: Readonly<Record<string, string>>): RedisRoom {
  const limit = Number(info.maxmemory ?? 0);
  return {
    usedBytes: Number(info.used_memory ?? 0),
    mostBytes: limit > 0 ? limit : Number(info.total_system_memory ?? 0),
    isWriting: info.aof_last_write_status !== 'err' && info.rdb_last_bgsave_status !== 'err',
  };
}
