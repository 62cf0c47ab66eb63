import { LimitlineError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { FORMAT, makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { makeKeys, type SharedKeys } from '../schema/keys.ts';
import { VANISHED_AFTER_MS } from './presence.ts';

/** Keys that are looked at with one script: a few milliseconds of Redis' time. */
const AT_ONCE = 500;

/** What a process of an earlier version finds in place of the list of portfolios, and fails at. */
export const MOVED = `moved: this account is in format ${FORMAT}, and needs a Limitline that reads it`;

/** BullMQ's queues, whose names are those of the queues of format 4. */
const QUEUES = ['companies', 'documents', 'buyer-limits', 'maintenance'];

type MoveDeps = { connection: RedisConnection; shared: SharedKeys; prefix: string; log: Log };

/**
 * Gives what versions before format 5 wrote the names of now, once: at the first start of this version. From then on a process of such a
 * version, which compares formats at its start alone, finds nothing to send and fails at what it would write. Whoever comes to an account
 * that is on its way moves the rest; so it may be killed at any moment.
 *
 * @throws LimitlineError `USAGE` where such a process is at work: nothing is changed then
 */
export async function beginToMove({ connection, shared, prefix }: MoveDeps): Promise<void> {
  const accounts = await connection.zrange(shared.accounts, '0', '-1');
  for (const account of accounts) await mustRest(account, { connection, prefix });
  const step = connection.multi().set(shared.format, FORMAT);
  if (accounts.length > 0) step.sadd(shared.toMove, ...accounts);
  await step.exec();
}

/** Moves what is left of all accounts. */
export async function moveFormer({ connection, shared, prefix, log }: MoveDeps): Promise<void> {
  for (const account of await connection.smembers(shared.toMove)) {
    log.info(
      { account },
      `what is in Redis is given the names of format ${FORMAT}, once; a million rows take a minute`,
    );
    const keys = makeKeys(prefix, account);
    let moved = await moveKeys(keys.root, keys.former, connection);
    for (const queue of QUEUES) {
      moved += await moveKeys(keys.queuePrefix(queue), keys.formerQueuePrefix(queue), connection);
    }
    await markAccount({ connection, prefix }, account);
    await connection.srem(shared.toMove, account);
    log.info({ account, moved }, `all of it is in format ${FORMAT}`);
  }
}

/** Says in which format an account is written, and keeps out who looks at the names of before: at once, since either alone says that it is older. */
export async function markAccount({ connection, prefix }: Omit<MoveDeps, 'shared' | 'log'>, account: string) {
  const keys = makeKeys(prefix, account);
  await connection.multi().set(keys.format, FORMAT, 'NX').set(keys.formerPortfolios, MOVED, 'NX').exec();
}

async function moveKeys(now: string, before: string, connection: RedisConnection): Promise<number> {
  const move = makeLuaScript(connection, new URL('../lua/move-former.lua', import.meta.url));
  const pattern = `${before.replace(/[\\*?[\]]/g, '\\$&')}:*`;
  let [cursor, moved] = ['0', 0];
  do {
    const [next, count] = (await move({ new: now, old: before }, { cursor, count: AT_ONCE, pattern, mark: MOVED })) as [
      string,
      number,
    ];
    cursor = next;
    moved += count;
  } while (cursor !== '0');
  return moved;
}

async function mustRest(account: string, { connection, prefix }: { connection: RedisConnection; prefix: string }) {
  const { former } = makeKeys(prefix, account);
  const [seconds] = await connection.time();
  const sinceMs = Number(seconds) * 1_000 - VANISHED_AFTER_MS;
  const workers = await connection.zcount(`${former}:workers`, sinceMs, '+inf');
  const names = await connection.zrange(`${former}:portfolios`, '0', '-1');
  const imports = await Promise.all(
    names.map((name) => connection.zcount(`${former}:portfolio:${name}:imports`, sinceMs, '+inf')),
  );
  if (workers + imports.reduce((sum, count) => sum + count, 0) === 0) return;
  throw new LimitlineError(
    'USAGE',
    `An earlier version of Limitline is at work in account ${account}: stop it first, then start this one again. Nothing was changed.`,
  );
}
