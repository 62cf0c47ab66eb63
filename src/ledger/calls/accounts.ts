import { CALL_KINDS } from '../../call-kind.ts';
import { LimitlineError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { FORMAT, makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/memory.ts';
import { STAND_IN_ACCOUNT } from '../../stand-in-account.ts';
import { makeKeys, type SharedKeys } from '../schema/keys.ts';
import { VANISHED_AFTER_MS } from './fleet.ts';

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

/** Who somebody says they are: one login at one service, real, sandbox or stand-in. */
export type Login = {
  account: string;
  /** Whether a person named the account, or it follows from the address. */
  named: boolean;
  clientId: string;
  address: string;
  /** A login of the stand-in's: its credentials are everybody's, and tell nothing. */
  anyone: boolean;
};

/** An account as the ledger remembers it. */
type KnownAccount = { name: string; clients: string[]; addresses: string[] };

/**
 * Why this login may not be used, for people; nothing where it may. Neither the address nor the client id alone tells which
 * account is meant, since credentials are renewed and two tenants may share an address.
 */
export function faultOf(
  { account, named, clientId, address, anyone }: Login,
  known: readonly KnownAccount[],
): string | undefined {
  const ours = known.find(({ name }) => name === account);
  const isElsewhere = ours !== undefined && ours.addresses.length > 0 && !ours.addresses.includes(address);
  // Credentials that everybody has tell nothing, and may not be used in an account that is somebody's.
  if (anyone && !(named && isElsewhere && address !== STAND_IN_ACCOUNT)) return undefined;
  const isOurs = ours?.clients.includes(clientId) ?? false;
  if (isOurs) return undefined;
  if (named) {
    // One of the two may change, the other then says that it is the same login still. Both new is the sandbox's account
    // used for the live service, or the other way round.
    if (!ours || !isElsewhere) return undefined;
    return `SERVICE_ACCOUNT is "${account}", but that account was used with ${list(ours.addresses)} and client id ${list(ours.clients)}, never with ${address} or client id "${clientId}". Give another SERVICE_ACCOUNT for another login; if it really is the same, change the address first and the client id in a later run.`;
  }
  if (ours !== undefined && ours.clients.length > 0) {
    return newClientFault({ account, clientId }, `was used with ${list(ours.clients)}`);
  }
  const other = known.find(({ clients }) => clients.includes(clientId));
  if (other === undefined) return undefined;
  return `Client id "${clientId}" was used with account ${other.name} until now, and ${address} is new to it. If the service has moved, set SERVICE_ACCOUNT=${other.name}; if it is another login, set SERVICE_ACCOUNT=${account}.`;
}

/** @param how how else the account is or was used, as the rest of a sentence */
function newClientFault({ account, clientId }: Pick<Login, 'account' | 'clientId'>, how: string): string {
  return `Client id "${clientId}" is new to account ${account}, which ${how}. If these are new credentials of the same login, set SERVICE_ACCOUNT=${account} once; if it is another tenant at that address, set SERVICE_ACCOUNT to a name of its own.`;
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ') || 'none';
}

/** Keys that are looked at with one script: a few milliseconds of Redis' time. */
const AT_ONCE = 500;

/** What a process of an earlier version finds in place of the list of portfolios, and fails at. */
const MOVED = `moved: this account is in format ${FORMAT}, and needs a Limitline that reads it`;

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
async function beginToMove({ connection, shared, prefix }: MoveDeps): Promise<void> {
  const accounts = await connection.zrange(shared.accounts, '0', '-1');
  for (const account of accounts) await mustRest(account, { connection, prefix });
  const step = connection.multi().set(shared.format, FORMAT);
  if (accounts.length > 0) step.sadd(shared.toMove, ...accounts);
  await step.exec();
}

/** Moves what is left of all accounts. */
async function moveFormer({ connection, shared, prefix, log }: MoveDeps): Promise<void> {
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
async function markAccount({ connection, prefix }: Omit<MoveDeps, 'shared' | 'log'>, account: string) {
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
