import type { SharedKeys } from '../../ledger/schema/keys.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { peopleScript } from '../people-script.ts';
import type { Secret } from '../secret.ts';
import { digestOfToken, isToken } from '../sessions/token.ts';
import { isUserName } from './user.ts';

type UserChange = {
  /** New values; '' deletes a field. */
  fields: Readonly<Record<string, string | number>>;
  /** A field that is set to a time, in ms from now by the server's clock. */
  moment?: { field: string; inMs: number };
  /** Nothing is changed if this field has another value by now. */
  expected?: { field: string; value: string };
  /** The new epoch, which ends the user's sessions except that of the token `keep`. */
  epoch?: string;
  keep?: string | undefined;
  /** Whether the kept session has given a code of the second factor. */
  isCoded?: boolean;
};

/** Changes a user in one step. Answers false if there is no such user, or `expected` does not match. */
export function makeUserChanges({
  connection,
  keys,
  secret,
}: {
  connection: RedisConnection;
  keys: SharedKeys;
  secret: Pick<Secret, 'key'>;
}) {
  const change = peopleScript(connection, 'change-user');

  return async (name: string, given: UserChange): Promise<boolean> => {
    if (!isUserName(name)) return false;
    const { fields, moment, expected, epoch = '', keep, isCoded = false } = given;
    const user = keys.user(name);
    const kept =
      keep !== undefined && isToken(keep) ? keys.session(digestOfToken(keep, await secret.key('sessions'))) : user;
    const args = [
      epoch,
      expected?.field ?? '',
      expected?.value ?? '',
      moment?.field ?? '',
      moment?.inMs ?? 0,
      isCoded ? 1 : 0,
    ];
    return (await change([user, kept], [...args, ...Object.entries(fields).flat()])) === 1;
  };
}

export type ChangeUser = ReturnType<typeof makeUserChanges>;
