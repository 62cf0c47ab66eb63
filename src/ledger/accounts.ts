import { CALL_KINDS } from '../call-kind.ts';
import { LimitlineError } from '../errors.ts';
import type { RedisConnection } from '../lua-script.ts';
import { makeKeys, type SharedKeys } from './keys.ts';

/** How what is in Redis is written. Raised with every change that an older or newer Limitline would misread. */
export const FORMAT = '2';

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

/** The address of a command that is given none. */
const STAND_IN = 'stand-in';

/** An account as the ledger remembers it. */
export type KnownAccount = { name: string; clients: string[]; addresses: string[] };

export type Accounts = ReturnType<typeof makeAccounts>;

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
  const known = async (): Promise<KnownAccount[]> => {
    const [names, uses] = await Promise.all([
      connection.zrange(keys.accounts, '0', '-1'),
      connection.hkeys(keys.accountUses),
    ]);
    const of = (what: string, name: string) => {
      const beginning = `${what} ${name} `;
      return uses.filter((use) => use.startsWith(beginning)).map((use) => use.slice(beginning.length));
    };
    return names.map((name) => ({ name, clients: of('client', name), addresses: of('address', name) }));
  };

  return {
    known,

    /**
     * Refuses what was written in another format than ours.
     *
     * @throws LimitlineError `REDIS`
     */
    async checkFormat(where: string): Promise<void> {
      const found = await connection.get(keys.format);
      if (found === FORMAT) return;
      if (found === null && (await connection.exists(keys.unversioned)) === 0) return;
      throw new LimitlineError(
        'REDIS',
        `${where} holds data of format ${found ?? '0'}, and this Limitline reads format ${FORMAT}; use the version of Limitline that wrote it, or another LIMITLINE_PREFIX or LIMITLINE_DATA.`,
      );
    },

    /**
     * Refuses a login that does not tell which account is meant: neither the address nor the client id alone does, since
     * credentials are renewed and two tenants may share an address.
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
    async enter({ account, named, clientId, address, anyone }: Login): Promise<void> {
      const now = String(Date.now());
      await connection.set(keys.format, FORMAT, 'NX');
      await connection.zadd(keys.accounts, 'NX', now, account);
      if (anyone) return;
      const client = `client ${account} ${clientId}`;
      const isNew = (await connection.hsetnx(keys.accountUses, client, now)) === 1;
      // Two that are new at the same moment have both found nobody there.
      const others = (await known()).find(({ name }) => name === account)?.clients.length ?? 0;
      if (isNew && !named && others > 1) {
        await connection.hdel(keys.accountUses, client);
        throw new LimitlineError('USAGE', newClientWords({ account, clientId }, ['another one at this moment']));
      }
      await connection.hsetnx(keys.accountUses, `address ${account} ${address}`, now);
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

/** Why this login may not be used, in words; nothing where it may. */
export function faultOf(
  { account, named, clientId, address, anyone }: Login,
  known: readonly KnownAccount[],
): string | undefined {
  const ours = known.find(({ name }) => name === account);
  const isElsewhere = ours !== undefined && ours.addresses.length > 0 && !ours.addresses.includes(address);
  // Credentials that everybody has tell nothing, and may not be used in an account that is somebody's.
  if (anyone && !(named && isElsewhere && address !== STAND_IN)) return undefined;
  const isOurs = ours?.clients.includes(clientId) ?? false;
  if (isOurs) return undefined;
  if (named) {
    // One of the two may change, the other then says that it is the same login still. Both new is the sandbox's account
    // used for the live service, or the other way round.
    if (!ours || !isElsewhere) return undefined;
    return `SERVICE_ACCOUNT is "${account}", but that account was used with ${list(ours.addresses)} and client id ${list(ours.clients)}, never with ${address} or client id "${clientId}". Give another SERVICE_ACCOUNT for another login; if it really is the same, change the address first and the client id in a later run.`;
  }
  if (ours !== undefined && ours.clients.length > 0) {
    return newClientWords({ account, clientId }, ours.clients);
  }
  const other = known.find(({ clients }) => clients.includes(clientId));
  if (other === undefined) return undefined;
  return `Client id "${clientId}" was used with account ${other.name} until now, and ${address} is new to it. If the service has moved, set SERVICE_ACCOUNT=${other.name}; if it is another login, set SERVICE_ACCOUNT=${account}.`;
}

function newClientWords({ account, clientId }: Pick<Login, 'account' | 'clientId'>, known: readonly string[]): string {
  return `Client id "${clientId}" is new to account ${account}, which was used with ${list(known)}. If these are new credentials of the same login, set SERVICE_ACCOUNT=${account} once; if it is another tenant at that address, set SERVICE_ACCOUNT to a name of its own.`;
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ') || 'none';
}
