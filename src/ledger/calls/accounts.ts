import { CALL_KINDS } from '../../call-kind.ts';
import { LimitlineError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { FORMAT, type RedisConnection } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/write-anyway.ts';
import { makeKeys, type SharedKeys } from '../schema/keys.ts';
import { faultOf, type KnownAccount, type Login, newClientFault } from './login.ts';
import { beginToMove, markAccount, moveFormer } from './move-former.ts';

/**
 * What is given the names of ours and goes on: rows of format 2 enter the sums of their portfolio when they are needed, and none of format
 * 3 waits for an approval.
 */
const FORMER: readonly (string | null)[] = ['2', '3', '4'];

/**
 * The accounts of one prefix. Everything that was made, every portfolio, queue and pace belongs to one; this is the only
 * place that knows of more than one.
 */
export function makeAccounts({
  connection,
  keys,
  prefix,
}: {
  connection: RedisConnection;
  keys: SharedKeys;
  prefix: string;
}) {
  const known = () => knownAccounts(connection, keys);

  return {
    /** All accounts, in the order of their first use. */
    known,

    /**
     * Refuses what was written in another format than ours, or those before: that is ours from now on, and an older Limitline
     * reads it no more.
     *
     * @throws LimitlineError `REDIS`; `USAGE` where an older Limitline is at work
     */
    async checkFormat(where: string, log: Log): Promise<void> {
      const moving = { connection, shared: keys, prefix, log };
      const found = await connection.get(keys.format);
      if (FORMER.includes(found)) await beginToMove(moving);
      if (found === FORMAT || FORMER.includes(found)) return moveFormer(moving);
      if (found === null && (await connection.exists(keys.unversioned)) === 0) return;
      throw new LimitlineError(
        'REDIS',
        `${where} has data in format ${found ?? '0'}, but this version of Limitline reads format ${FORMAT}; use the version of Limitline that wrote it, or choose another LIMITLINE_PREFIX or LIMITLINE_DATA.`,
      );
    },

    /**
     * Refuses a login that does not tell which account is meant, see {@link faultOf}.
     *
     * @throws LimitlineError `USAGE`
     */
    async check(login: Login): Promise<void> {
      const fault = faultOf(login, await known());
      if (fault !== undefined) throw new LimitlineError('USAGE', fault);
    },

    /**
     * Remembers the account and this login of it, before anything is brought into it.
     *
     * @throws LimitlineError `USAGE` when another client id came into it at the same moment
     */
    async enter(login: Login): Promise<void> {
      const { account, named, clientId, address, anyone } = login;
      const now = String(Date.now());
      await writeAnyway(connection, 'SET', keys.format, FORMAT, 'NX');
      await writeAnyway(connection, 'ZADD', keys.accounts, 'NX', now, account);
      await markAccount({ connection, prefix }, account);
      if (anyone) return;
      const client = `client ${account} ${clientId}`;
      const isNew = (await writeAnyway(connection, 'HSETNX', keys.accountUses, client, now)) === 1;
      // Two that are new at the same moment have both found nobody there.
      const others = (await known()).find(({ name }) => name === account)?.clients.length ?? 0;
      if (isNew && !named && others > 1) {
        await connection.hdel(keys.accountUses, client);
        throw new LimitlineError('USAGE', newClientFault(login, 'another client id begins to use at this moment'));
      }
      await writeAnyway(connection, 'HSETNX', keys.accountUses, `address ${account} ${address}`, now);
    },

    /** Whether anything was ever made in this account. */
    async isUsed(account: string): Promise<boolean> {
      const counts = await connection.hmget(
        makeKeys(prefix, account).account,
        ...CALL_KINDS.map((kind) => `made:${kind}`),
      );
      return counts.some((count) => count !== null);
    },

    /** The accounts that have a portfolio of this name. */
    async having(portfolio: string): Promise<string[]> {
      const names = await connection.zrange(keys.accounts, '0', '-1');
      const scores = await Promise.all(
        names.map((name) => connection.zscore(makeKeys(prefix, name).portfolios, portfolio)),
      );
      return names.filter((_name, place) => scores[place] !== null);
    },
  };
}

async function knownAccounts(connection: RedisConnection, keys: SharedKeys): Promise<KnownAccount[]> {
  const [names, uses] = await Promise.all([
    connection.zrange(keys.accounts, '0', '-1'),
    connection.hkeys(keys.accountUses),
  ]);
  const usedBy = (account: string, what: 'client' | 'address') => {
    const beginning = `${what} ${account} `;
    return uses.filter((use) => use.startsWith(beginning)).map((use) => use.slice(beginning.length));
  };
  return names.map((name) => ({ name, clients: usedBy(name, 'client'), addresses: usedBy(name, 'address') }));
}
