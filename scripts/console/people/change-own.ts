import type { Coming } from '../../../src/console/sign-in/people-functions.ts';
import type { ChangeAnswer } from '../../../src/console/sign-in/sign-in-functions.ts';
import type { Context } from '../../../src/context.ts';
import { isLimitlineError } from '../../../src/errors.ts';
import type { RefusedSignIn } from '../../../src/people/people.ts';

const NO_CODE = 'This code does not fit. Look at the app again, and type the code that it shows now.';
const ENDED = 'Your session ended meanwhile. Sign in again.';

/** A person's account and session. Changes give the session a new token. */
type Own = { name: string; token: string } & Coming;

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

/** Why a repeated password was not accepted. */
export function wordsOfRefusal(answer: RefusedSignIn | { is: 'owes' }): string {
  if (answer.is === 'later')
    return `Too many wrong passwords. Try again in ${answer.afterS} seconds. Nothing was changed.`;
  if (answer.is === 'busy') return 'Too many passwords are looked at just now. Try again in some seconds.';
  return 'The password or the code does not fit; a code is good once. Nothing was changed.';
}
