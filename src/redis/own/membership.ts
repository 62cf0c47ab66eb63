import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { LimitlineError } from '../../errors.ts';
import { type LuaScript, makeLuaScript } from '../../lua-script.ts';
import type { ServerInfo } from '../server-info.ts';
import type { Folder } from './folder.ts';
import { isAlive, type Stamp, stampOf } from './stamp.ts';

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
 * with the decision that there is nobody left; it outlives crashes, and who is dead is taken off it by the next.
 *
 * @returns undefined while the last of the others is ending the server: wait until it is gone, and start a new one
 */
export async function joinServer(
  connection: Redis,
  info: ServerInfo,
  { folder, user }: { folder: Folder; user: Stamp },
): Promise<Member | undefined> {
  const script = makeLuaScript(connection, new URL('./lua/membership.lua', import.meta.url));
  const call = async (verb: 'join' | 'leave') =>
    run(script, [verb, user, info.run_id ?? '', ...(await findDead(connection, folder))]);
  if ((await call('join')) !== '') return undefined;
  return {
    connection,
    info,
    server: stampOf(Number(info.process_id), folder),
    leave: async () => ((await call('leave')) === user ? 'last' : 'others left'),
  };
}

/** One process may open the same data folder more than once, so each time gets a name of its own. */
export function makeUser(folder: Folder): Stamp {
  const stamp = stampOf(process.pid, folder);
  if (stamp === undefined) {
    throw new LimitlineError(
      'REDIS',
      'This system does not say when a process started (no /proc, no ps), so Limitline cannot run a Redis of its own; set REDIS_URL.',
    );
  }
  return `${stamp}${NAME_MARK}${randomUUID().slice(0, 8)}`;
}

const NAME_MARK = '#';

/** Outside of every key prefix that a setting can give, since these belong to the server and not to the data. */
const USERS_KEY = '~own-redis:users';
const ENDING_KEY = '~own-redis:ending';

async function run(script: LuaScript, args: string[]): Promise<Stamp> {
  return String(await script([USERS_KEY, ENDING_KEY], args));
}

async function findDead(connection: Redis, folder: Folder): Promise<Stamp[]> {
  const [users, ending] = await Promise.all([connection.smembers(USERS_KEY), connection.hget(ENDING_KEY, 'by')]);
  const known = ending === null ? users : [...users, ending];
  return known.filter((user) => !isAlive(user.split(NAME_MARK, 1)[0] ?? '', folder));
}
