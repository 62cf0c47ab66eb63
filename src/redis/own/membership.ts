import { Redis } from 'ioredis';
import { type Folder, type Stamp, stampOf } from '../../files/process-mark.ts';
import { makeLuaScript } from '../../lua-script.ts';
import { readInfo, type ServerInfo } from '../server-info.ts';

/** A user of the folder's own Redis, as long as this connection lasts. */
export type Member = {
  connection: Redis;
  info: ServerInfo;
  /** The stamp of the server's process; undefined if the server has just ended. */
  server: Stamp | undefined;
  /** Takes the user off the list. Answers whether it was the last one, which must end the server now. */
  leave: () => Promise<'last' | 'others left'>;
};

/**
 * Joins the users of the server. Their list is in the server itself, so that it changes in one step with the decision that nobody is left.
 * Users without a connection are removed by the next user: processes that died, or could not leave because the server had died.
 *
 * @returns undefined while the last other user is ending the server: wait for its end, and start a new one
 */
export async function joinServer(connection: Redis, info: ServerInfo, folder: Folder): Promise<Member | undefined> {
  const script = makeLuaScript(connection, new URL('./lua/membership.lua', import.meta.url));
  const run = info.run_id ?? '';
  // The id of a connection is unique within a run of the server.
  const user = memberName(run, String(await connection.call('CLIENT', 'ID')));
  const call = async (verb: 'join' | 'leave') =>
    String(await script([USERS_KEY, ENDING_KEY], [verb, user, ...(await findGone(connection, run))]));
  if ((await call('join')) !== '') return undefined;
  return {
    connection,
    info,
    server: stampOf(Number(info.process_id), folder),
    leave: async () => ((await call('leave')) === user ? 'last' : 'others left'),
  };
}

/**
 * The keys of the users of the server. No key prefix of the settings is put before them, since they belong to the server and not to the
 * data.
 */
const USERS_KEY = '~own-redis:users';
const ENDING_KEY = '~own-redis:ending';

const memberName = (run: string, connectionId: string): string => `${run}#${connectionId}`;

/** Users in the list without a connection to this run of the server. The list is read before the connections, so a new user has one. */
async function findGone(connection: Redis, run: string): Promise<string[]> {
  const [users, ending, clients] = await Promise.all([
    connection.smembers(USERS_KEY),
    connection.hget(ENDING_KEY, 'by'),
    connection.call('CLIENT', 'LIST'),
  ]);
  const here = new Set([...String(clients).matchAll(/^id=(\d+)/gm)].map(([, id = '']) => memberName(run, id)));
  return [...users, ...(ending === null ? [] : [ending])].filter((user) => !here.has(user));
}

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
