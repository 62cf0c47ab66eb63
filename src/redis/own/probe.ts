import { Redis } from 'ioredis';
import { readInfo, type ServerInfo } from '../server-info.ts';

/**
 * What stands behind a socket: nobody, somebody who says nothing, a server still reading its data, one that has as many connections as it
 * takes (`full`), or one that works; its connection then belongs to the caller and ends with the server.
 */
type Probed = { is: 'absent' | 'silent' | 'loading' | 'full' } | { is: 'ready'; connection: Redis; info: ServerInfo };

/** Looks once, for {@link PROBE_TIMEOUT_MS} at most. */
export async function probe(socketPath: string): Promise<Probed> {
  const connection = new Redis({
    path: socketPath,
    connectionName: 'limitline-user',
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    connectTimeout: PROBE_TIMEOUT_MS,
    commandTimeout: PROBE_TIMEOUT_MS,
    disconnectTimeout: GOODBYE_MS,
  });
  let code: string | undefined;
  connection.on('error', (error: NodeJS.ErrnoException) => {
    code ??= error.code;
  });
  try {
    await connection.connect();
    const info = await readInfo(connection);
    if (info.loading === '0') return { is: 'ready', connection, info };
    hangUp(connection);
    return { is: 'loading' };
  } catch {
    hangUp(connection);
    // It takes up the connection and ends it at once; what it says of that comes too late to be read.
    if (code === 'EPIPE' || code === 'ECONNRESET') return { is: 'full' };
    return { is: code === 'ENOENT' || code === 'ECONNREFUSED' ? 'absent' : 'silent' };
  }
}

/** Ends such a connection, without waiting. ioredis would keep a timer where there is nothing left to end. */
export function hangUp(connection: Redis): void {
  if (connection.status !== 'end') connection.disconnect();
}

/** A working server answers in less than a millisecond, and one on a machine in trouble within seconds. */
const PROBE_TIMEOUT_MS = 3_000;

/** Who says nothing does not say goodbye either. */
const GOODBYE_MS = 100;
