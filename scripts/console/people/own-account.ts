import { t } from '../../../src/console/html/html.ts';
import type { MePageFunctions, Proof } from '../../../src/console/pages/me/me-routes.ts';
import type { ChangeAnswer, SignInClient } from '../../../src/console/sign-in/people-functions.ts';
import type { Context } from '../../../src/context.ts';
import { isLimitlineError } from '../../../src/errors.ts';
import { passwordFault } from '../../../src/people/passwords/password-rules.ts';
import type { RefusedSignIn } from '../../../src/people/people.ts';

export function mePageFunctions(context: Context): MePageFunctions {
  const { people } = context;
  const { goOn, confirmFactor } = changeOwn(context);

  /** Why the person's proof is not accepted, in words; undefined if it is. */
  const doubtOf = async ({ name, old, code, from }: Proof): Promise<string | undefined> => {
    const answer = await people.check({ name, password: old, code, from });
    return answer.is === 'ok' ? undefined : wordsOfRefusal(answer);
  };
  const proven = async <T>(proof: Proof, act: () => Promise<T>) => {
    const doubt = await doubtOf(proof);
    return doubt === undefined ? { is: 'done' as const, made: await act() } : { is: 'no' as const, words: doubt };
  };
  return {
    read: (name) => people.users.read(name),
    sessions: (by, token) => people.sessions.list(by, token),
    setPassword: async ({ password, ...proof }) => {
      const { name, token, old, from } = proof;
      // A code works once, so the new password is checked before the code.
      const fault = passwordFault(password, name);
      const doubt = fault ?? (await doubtOf(proof));
      if (doubt !== undefined) return { is: 'no', words: doubt };
      const answer = await people.changeOwnPassword({ name, old, next: password, from, keep: token });
      if (answer.is === 'ok') return goOn(token, undefined);
      return { is: 'no', words: answer.is === 'unfit' ? answer.why : wordsOfRefusal(answer) };
    },
    beginFactor: (proof) => proven(proof, () => people.users.beginFactor(proof.name)),
    confirmFactor,
    makeCodes: (proof) => proven(proof, () => people.users.renewRecoveryCodes(proof.name)),
    endSessions: async (proof, which) => {
      const { name, token } = proof;
      const end = async (): Promise<number | boolean> =>
        which === 'all others' ? people.sessions.endAll(name, { but: token }) : people.sessions.endOne(name, which.one);
      // A person of an identity provider has no password in Limitline, and so needs no proof.
      const isOurs = (await people.users.read(name)) !== undefined;
      return isOurs ? proven(proof, end) : { is: 'done', made: await end() };
    },
  };
}

const NO_CODE = t`This code is wrong. Look at the app again, and type the code that it shows now.`;
const ENDED = t`Your session ended meanwhile. Sign in again.`;

/** A person's account and session. Changes give the session a new token. */
type Own = { name: string; token: string } & SignInClient;

/** Changes that people make to their own account, at sign-in and later. */
export function changeOwn({ people }: Context) {
  /** Renews this session's token; all other sessions have ended. A stolen token is worthless then. */
  const goOn = async <T>(token: string, made: T): Promise<ChangeAnswer<T>> => {
    const renewed = await people.sessions.renew(token);
    return renewed === undefined ? { is: 'no', words: ENDED } : { is: 'done', token: renewed, made };
  };
  return {
    goOn,

    async confirmFactor({ name, token, code }: Own & { code: string }): Promise<ChangeAnswer<readonly string[]>> {
      const codes = await people.users.confirmFactor(name, code, { keep: token });
      return codes === undefined ? { is: 'no', words: NO_CODE } : goOn(token, codes);
    },

    /** Sets a password in place of one that somebody else made. */
    async setPassword({ name, token, password }: Own & { password: string }): Promise<ChangeAnswer> {
      const fault = await wordsOfFault(() =>
        people.users.setPassword(name, password, { mustChange: false, keep: token }),
      );
      return fault === undefined ? goOn(token, undefined) : { is: 'no', words: fault };
    },
  };
}

/** The message of a refused change; undefined if it was made. @throws other faults */
export async function wordsOfFault(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (isLimitlineError(error, 'USAGE', 'NOT_FOUND')) return error.message;
    throw error;
  }
}

function wordsOfRefusal(answer: RefusedSignIn | { is: 'owes' }): string {
  if (answer.is === 'later')
    return t`Too many wrong passwords. Try again in ${answer.afterS} seconds. Nothing was changed.`;
  if (answer.is === 'busy') return t`Too many passwords are being checked just now. Try again in some seconds.`;
  return t`The password or the code is wrong; each code can be used only once. Nothing was changed.`;
}
