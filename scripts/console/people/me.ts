import type { MePageFunctions, Proof } from '../../../src/console/pages/me/add-me-page.ts';
import type { Context } from '../../../src/context.ts';
import { passwordFault } from '../../../src/people/passwords/password-rules.ts';
import { changeOwn, wordsOfRefusal } from './change-own.ts';

/** The functions of the page of one's own account. */
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
      // A person of an identity provider has no password here.
      const isOurs = (await people.users.read(name)) !== undefined;
      return isOurs ? proven(proof, end) : { is: 'done', made: await end() };
    },
  };
}
