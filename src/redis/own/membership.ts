import type { Redis } from 'ioredis';
import { makeLuaScript } from '../../lua-script.ts';
import type { ServerInfo } from '../server-info.ts';
import type { Folder } from './folder.ts';
import { type Stamp, stampOf } from './stamp.ts';

/** One who uses the folder's own Redis, as long as this connection lasts. */
export type Member = {
  connection: Redis;
  info: ServerInfo;
  /** Undefined where the server has ended in this moment. */
  server: Stamp | undefined;
  /** Says whether it was the last one, who must end the server now. */
  leave: () => Promise<'last' | 'others left'>;
};

/**
 * Joins those who use the server. The list is kept in the server itself, so that it is changed in one step together
 * with the decision that there is nobody left. Whoever has lost the connection is taken off it by the next: a process
 * that died, and one that could not say that it leaves, since the server had died.
 *
 * @returns undefined while the last of the others is ending the server: wait until it is gone, and start a new one
 */
export async function joinServer(connection: Redis, info: ServerInfo, folder: Folder): Promise<Member | undefined> {
  const script = makeLuaScript(connection, new URL('./lua/membership.lua', import.meta.url));
  const run = info.run_id ?? '';
  // A connection's number is given once in a run of the server.
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

/** Outside of every key prefix that a setting can give, since these belong to the server and not to the data. */
const USERS_KEY = '~own-redis:users';
const ENDING_KEY = '~own-redis:ending';

function memberName(run: string, connectionId: string): string {
  return `${run}#${connectionId}`;
}

/** Who is on the list, and has no connection to this run of the server. Connections are read last: whoever joins meanwhile has one. */
async function findGone(connection: Redis, run: string): Promise<string[]> {
  const [users, ending, clients] = await Promise.all([
    connection.smembers(USERS_KEY),
    connection.hget(ENDING_KEY, 'by'),
    connection.call('CLIENT', 'LIST'),
  ]);
  const here = new Set([...String(clients).matchAll(/^id=(\d+)/gm)].map(([, id = '']) => memberName(run, id)));
  return [...users, ...(ending === null ? [] : [ending])].filter((user) => !here.has(user));
}
