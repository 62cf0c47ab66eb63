import type { SharedKeys } from '../../ledger/schema/keys.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { peopleScript } from '../people-script.ts';
import type { Secret } from '../secret.ts';
import { digestOfToken, isToken } from '../sessions/token.ts';
import { isUserName } from './user.ts';

export type UserChange = {
  /** What is to stand there; '' takes a field away. */
  fields: Readonly<Record<string, string | number>>;
  /** A field that becomes the moment so many ms from now, by the server's clock. */
  moment?: { field: string; inMs: number };
  /** Nothing is done where another value stands there by now. */
  expected?: { field: string; value: string };
  /** Ends the user's sessions, but the one of the token `keep`. */
  epoch?: string;
  keep?: string | undefined;
  /** The session that goes on has given a code of the second factor. */
  isCoded?: boolean;
};

/** Changes what is known of a user, in one step. Answers false where there is no such user, or it is not as expected any more. */
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
