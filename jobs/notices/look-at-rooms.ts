import { statfs } from 'node:fs/promises';
import type { DiskRoom, RedisRoom } from './room-changes.ts';

/** The disk of a folder; nothing where it is not there yet, since the first import makes it. */
export async function lookAtDisk(folder: string): Promise<DiskRoom | undefined> {
  try {
    const { bsize, bavail, blocks, bfree } = await statfs(folder);
    // What is set aside for root is nobody's room: `df` counts so too.
    return { freeBytes: bavail * bsize, totalBytes: (blocks - bfree + bavail) * bsize };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** What `INFO` of a server says of its room. Where it has no limit of its own, its machine's memory is the limit. */
export function readRedisRoom(info: Readonly<Record<string, string>>): RedisRoom {
  const limit = Number(info.maxmemory ?? 0);
  return {
    usedBytes: Number(info.used_memory ?? 0),
    mostBytes: limit > 0 ? limit : Number(info.total_system_memory ?? 0),
    isWriting: info.aof_last_write_status !== 'err' && info.rdb_last_bgsave_status !== 'err',
  };
}
