import { CALL_KINDS } from '../../call-kind.ts';
import { LimitlineError } from '../../errors.ts';
import { FORMAT } from '../../ledger-format.ts';
import type { Log } from '../../log.ts';
import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/memory.ts';
import { STAND_IN_ACCOUNT } from '../../stand-in-account.ts';
import { makeKeys, type SharedKeys } from '../schema/keys.ts';
import { VANISHED_AFTER_MS } from './fleet.ts';

/**
 * Older formats whose keys are renamed to those of the present format, and whose data still works: rows of format 2 enter their portfolio's
 * sums on demand, and rows of format 3 never wait for an approval.
 */
const FORMER: readonly (string | null)[] = ['2', '3', '4'];

/**
 * Handles the accounts of one prefix of Redis keys. Every company, document, limit, portfolio, queue and pace belongs to one account; no
 * other file handles several accounts.
 */
export function makeAccounts(given: { connection: RedisConnection; keys: SharedKeys; prefix: string }) {
  const { connection, keys, prefix } = given;
  const known = () => knownAccounts(connection, keys);

  return {
    /** All accounts, in the order of their first use. */
    known,

    /**
     * Refuses data in an unknown format. Data in an older known format is converted to ours, and older versions of Limitline cannot read it
     * any more.
     *
     * @throws LimitlineError `REDIS`; `USAGE` if an older version of Limitline is running
     */
    async checkFormat(where: string, log: Log): Promise<void> {
      const moving = { connection, shared: keys, prefix, log };
      const found = await connection.get(keys.format);
      if (FORMER.includes(found)) await beginToMove(moving);
      if (found === FORMAT || FORMER.includes(found)) return moveFormer(moving);
      if (found === null && (await connection.exists(keys.unversioned)) === 0) return;
      const message = `${where} has data in format ${found ?? '0'}, but this version of Limitline reads format ${FORMAT}; use the version of Limitline that wrote it, or choose another LIMITLINE_PREFIX or LIMITLINE_DATA.`;
      throw new LimitlineError('REDIS', message);
    },

    /**
     * Refuses a login whose account is ambiguous, see {@link faultOf}.
     *
     * @throws LimitlineError `USAGE`
     */
    async check(login: Login): Promise<void> {
      const fault = faultOf(login, await known());
      if (fault !== undefined) throw new LimitlineError('USAGE', fault);
    },

    /**
     * Stores the account and this login of it, before anything is imported into it.
     *
     * @throws LimitlineError `USAGE` if another client id entered the account at the same moment
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
      // The clients are counted after the write: two new client ids at the same moment would otherwise both find the account unused.
      const others = (await known()).find(({ name }) => name === account)?.clients.length ?? 0;
      if (isNew && !named && others > 1) {
        await connection.hdel(keys.accountUses, client);
        throw new LimitlineError('USAGE', newClientFault(login, 'another new client id has just begun to use, too'));
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

/** A login at one service, which is a real service, its sandbox, or the stand-in. */
export type Login = {
  account: string;
  /** Whether a person named the account (SERVICE_ACCOUNT). Otherwise the account's name follows from the address. */
  named: boolean;
  clientId: string;
  address: string;
  /** Whether this is a login of the stand-in. Everybody has the stand-in's credentials, so they identify nobody. */
  anyone: boolean;
};

/** An account in the ledger, with the client ids and addresses with which it was used. */
type KnownAccount = { name: string; clients: string[]; addresses: string[] };

/**
 * Why this login may not be used, as text for people; undefined if it may. Neither the address nor the client id alone identifies the
 * account: credentials are renewed, and two tenants may share an address.
 */
export function faultOf(
  { account, named, clientId, address, anyone }: Login,
  known: readonly KnownAccount[],
): string | undefined {
  const ours = known.find(({ name }) => name === account);
  const isElsewhere = ours !== undefined && ours.addresses.length > 0 && !ours.addresses.includes(address);
  // Credentials that everybody has identify nobody, and must not be used in another login's account.
  if (anyone && !(named && isElsewhere && address !== STAND_IN_ACCOUNT)) return undefined;
  const isOurs = ours?.clients.includes(clientId) ?? false;
  if (isOurs) return undefined;
  if (named) {
    // Either the address or the client id may change, as the other one still identifies the login. If both are new, the login is refused: a
    // sandbox's account could be used for the live service by mistake, or the reverse.
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

const list = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ') || 'none';

/** The most keys that one call of a script reads or moves. They take Redis a few milliseconds, in which others wait. */
const AT_ONCE = 500;

/** Text in place of the list of portfolios and of each portfolio, at which a process of an earlier version fails. */
const MOVED = `moved: this account is in format ${FORMAT}, and needs a Limitline that reads it`;

/** Names of BullMQ's queues, equal to those of format 4. */
const QUEUES = ['companies', 'documents', 'buyer-limits', 'maintenance'];

type MoveDeps = { connection: RedisConnection; shared: SharedKeys; prefix: string; log: Log };

/**
 * Starts the renaming of keys from before format 5, once, at the first start of this version. Processes of older versions check the format
 * only at their start: from now on they find nothing to send, and fail when they write. Any later start moves the rest, so this process may
 * be killed at any moment.
 *
 * @throws LimitlineError `USAGE` if a process of an older version is running; nothing is changed then
 */
async function beginToMove({ connection, shared, prefix }: MoveDeps): Promise<void> {
  const accounts = await connection.zrange(shared.accounts, '0', '-1');
  for (const account of accounts) await mustRest(account, { connection, prefix });
  const step = connection.multi().set(shared.format, FORMAT);
  if (accounts.length > 0) step.sadd(shared.toMove, ...accounts);
  await step.exec();
}

/** Renames the keys of all accounts that are still to be moved. */
async function moveFormer({ connection, shared, prefix, log }: MoveDeps): Promise<void> {
  for (const account of await connection.smembers(shared.toMove)) {
    log.info({ account }, `renaming the keys in Redis to format ${FORMAT}, once; a million rows take a minute`);
    const keys = makeKeys(prefix, account);
    // Portfolios first: a process of an older version that wakes up meanwhile must not find one of them whose calls are gone.
    let moved = await moveKeys(keys.root, keys.former, connection, ':portfolio:*');
    moved += await moveKeys(keys.root, keys.former, connection);
    for (const queue of QUEUES) {
      moved += await moveKeys(keys.queuePrefix(queue), keys.formerQueuePrefix(queue), connection);
    }
    await markAccount({ connection, prefix }, account);
    await connection.srem(shared.toMove, account);
    log.info({ account, moved }, `all keys are in format ${FORMAT}`);
  }
}

/**
 * Writes the account's format, and the text that keeps older versions of Limitline out. Both are written at once: one alone would mean an
 * older account.
 */
async function markAccount({ connection, prefix }: Omit<MoveDeps, 'shared' | 'log'>, account: string) {
  const keys = makeKeys(prefix, account);
  await connection.multi().set(keys.format, FORMAT, 'NX').set(keys.formerPortfolios, MOVED, 'NX').exec();
}

/** @param rest what follows the key prefix `before`, as a pattern */
async function moveKeys(now: string, before: string, connection: RedisConnection, rest = ':*'): Promise<number> {
  const move = makeLuaScript(connection, new URL('../lua/move-former.lua', import.meta.url));
  const pattern = before.replace(/[\\*?[\]]/g, '\\$&') + rest;
  let [moved, cursor] = [0, '0'];
  do {
    const given = { cursor, count: AT_ONCE, pattern, mark: MOVED };
    const [next, count] = (await move({ new: now, old: before }, given)) as [string, number];
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
  const message = `An earlier version of Limitline is at work in account ${account}: stop it first, then start this one again. Nothing was changed.`;
  throw new LimitlineError('USAGE', message);
}
