import type { SharedKeys } from '../../ledger/schema/keys.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { type MatchedCode, matchCode } from '../factor/match-code.ts';
import { peopleScript } from '../people-script.ts';
import type { Person } from '../person.ts';
import type { Secret } from '../secret.ts';
import { rolesOf, typedName } from '../users/user.ts';
import { type Guesses, owedWithoutFactor } from './guesses.ts';
import type { RefusedSignIn, RightPassword, TakenTry, TryPassword } from './try-password.ts';

/** Who somebody is, without a session: on the command line, and once more before something that needs it. */
export function makeProve({
  connection,
  keys,
  secret,
  guesses,
  tryPassword,
  now,
}: {
  connection: RedisConnection;
  keys: SharedKeys;
  secret: Pick<Secret, 'key'>;
  guesses: Guesses;
  tryPassword: TryPassword;
  now: () => number;
}) {
  const acceptCheck = peopleScript(connection, 'accept-check');

  /** Takes back that it was counted, and uses the code up; answers false where it was used before, or the user is another by now. */
  const accept = async (
    name: string,
    { taken, epoch }: RightPassword,
    code?: { tried: TakenTry; matched: MatchedCode },
  ): Promise<boolean> => {
    const { account, known, place, backMs } = taken.counted;
    const { step = '', digest = '' } = code?.matched ?? {};
    const bothMs = backMs + (code?.tried.counted.backMs ?? 0);
    const accepted = await acceptCheck(
      [keys.user(name), account, code?.tried.counted.account ?? account, known, place],
      [epoch, step, digest, guesses.knownMs, bothMs, code === undefined ? 1 : 0],
    );
    return accepted === 1;
  };

  return {
    /** Password and code at once. `owes`: both are right, and there is something to do in the console first. */
    async check(given: {
      name: string;
      password: string;
      code: string;
      from: string;
    }): Promise<{ is: 'ok'; person: Person } | { is: 'owes' } | RefusedSignIn> {
      const name = typedName(given.name);
      const found = await tryPassword(name, given.password, given.from);
      if (found.is !== 'right') return found;
      const { user } = found.taken;
      const person = { by: name, roles: rolesOf(user.roles) };
      const { factor } = user;
      if (factor === undefined) {
        if (!(await accept(name, found))) return { is: 'no' };
        return owedWithoutFactor(user) === undefined ? { is: 'ok', person } : { is: 'owes' };
      }
      const tried = await guesses.takeCode(name, given.from);
      if (tried.is === 'later') return tried;
      const matched = await matchCode(given.code, { name, factor, nowMs: now() }, secret);
      if (matched === undefined || !(await accept(name, found, { tried, matched }))) return { is: 'no' };
      return user.mustChange ? { is: 'owes' } : { is: 'ok', person };
    },

    /**
     * The password once more, of somebody who is signed in, before something that needs it (ASVS 5.0, 7.5.1 and 7.5.3).
     *
     * @returns the digest that it had, by which a change that comes of it is bound to it
     */
    async again(given: {
      name: string;
      password: string;
      from: string;
    }): Promise<{ is: 'ok'; digest: string } | RefusedSignIn> {
      const found = await tryPassword(given.name, given.password, given.from);
      if (found.is !== 'right') return found;
      if (!(await accept(given.name, found))) return { is: 'no' };
      return { is: 'ok', digest: found.taken.user.password ?? '' };
    },
  };
}
