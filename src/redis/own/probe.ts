import { Redis } from 'ioredis';
import { readInfo, type ServerInfo } from '../server-info.ts';

/**
 * What was found at a server's socket: nothing, something that does not answer, a server that loads its data, one without free connections
 * (`full`), or a working one (`ready`), whose connection belongs to the caller, and ends with the server.
 */
type Probed = { is: 'absent' | 'silent' | 'loading' | 'full' } | { is: 'ready'; connection: Redis; info: ServerInfo };

/** Tries once to connect to the server at a socket, for at most {@link PROBE_TIMEOUT_MS}. */
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
    // A full server accepts the connection and closes it at once; its message comes too late to be read.
    if (code === 'EPIPE' || code === 'ECONNRESET') return { is: 'full' };
    return { is: code === 'ENOENT' || code === 'ECONNREFUSED' ? 'absent' : 'silent' };
  }
}

/** Closes a connection to our own Redis without waiting. ioredis would keep a timer for one that has already ended. */
export function hangUp(connection: Redis): void {
  if (connection.status !== 'end') connection.disconnect();
}

/** Time limit of one {@link probe}, in ms. A working server answers in less than a millisecond, and on an overloaded machine within seconds. */
const PROBE_TIMEOUT_MS = 3_000;

/** Time for closing a connection; a server that does not answer will not close it either. */
const GOODBYE_MS = 100;
