import { STAND_IN_ACCOUNT } from '../../stand-in-account.ts';

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
export type KnownAccount = { name: string; clients: string[]; addresses: string[] };

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
export function newClientFault({ account, clientId }: Pick<Login, 'account' | 'clientId'>, how: string): string {
  return `Client id "${clientId}" is new to account ${account}, which ${how}. If these are new credentials of the same login, set SERVICE_ACCOUNT=${account} once; if it is another tenant at that address, set SERVICE_ACCOUNT to a name of its own.`;
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ') || 'none';
}
