import { join } from 'node:path';
import { Redis } from 'ioredis';
import { makeSilentLog } from '../../src/log.ts';
import { openOwnRedis } from '../../src/redis/own/open.ts';
import { readInfo } from '../../src/redis/server-info.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export type RunningRedis = AsyncDisposable & {
  /** A data folder (LIMITLINE_DATA) that uses this server. */
  dataDir: string;
  /** The Unix socket, for programs that know nothing of data folders. */
  socketPath: string;
  figures(): Promise<RedisFigures>;
};

type RedisFigures = { version: string; usedMemoryBytes: number; cpuMs: number };

/**
 * Starts an empty Redis as the product starts its own: on a fresh data folder, on a Unix socket, and with every write
 * on the disk before it is answered. The product and its peers get the same server in this way. It ends, and its data
 * is removed, when it is disposed of.
 *
 * @param isKept else it writes nothing to the disk
 * @throws LimitlineError `REDIS` when no server can be had
 */
export async function startRedis({ isKept = true }: { isKept?: boolean } = {}): Promise<RunningRedis> {
  await using started = new AsyncDisposableStack();
  const { path } = started.use(await makeTemporaryFolder());
  const dataDir = join(path, 'data');
  const own = await openOwnRedis({ dataDir, log: makeSilentLog() });
  started.defer(() => own.close());
  const connection = new Redis({ path: own.socketPath, maxRetriesPerRequest: null });
  connection.on('error', () => {});
  started.defer(() => connection.disconnect());
  if (!isKept) await connection.config('SET', 'appendonly', 'no');
  const running = started.move();
  return {
    dataDir,
    socketPath: own.socketPath,
    async figures() {
      const info = await readInfo(connection);
      const cpuS = Number(info.used_cpu_user) + Number(info.used_cpu_sys);
      return { version: info.redis_version ?? '?', usedMemoryBytes: Number(info.used_memory), cpuMs: cpuS * 1_000 };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
