import type { MePageFunctions, Proof } from '../../../src/console/pages/me/me-functions.ts';
import type { Context } from '../../../src/context.ts';
import { changeOwn, wordsOfRefusal } from './change-own.ts';

/** What the page of one's own account can do. */
export function mePageFunctions(context: Context): MePageFunctions {
  const { people } = context;
  const { goOn, confirmFactor } = changeOwn(context);

  /** Does it for whoever knows the password that the account has now. */
  const proven = async <T>({ name, old, from }: Proof, act: () => Promise<T>) => {
    const answer = await people.signIn.again({ name, password: old, from });
    if (answer.is !== 'ok') return { is: 'no' as const, words: wordsOfRefusal(answer) };
    return { is: 'done' as const, made: await act() };
  };
  return {
    read: (name) => people.users.read(name),
    sessions: (by, token) => people.sessions.list(by, token),
    setPassword: async ({ name, token, old, password, from }) => {
      const answer = await people.changeOwnPassword({ name, old, next: password, from, keep: token });
      if (answer.is === 'ok') return goOn(token, undefined);
      return { is: 'no', words: answer.is === 'unfit' ? answer.why : wordsOfRefusal(answer) };
    },
    beginFactor: (proof) => proven(proof, () => people.users.beginFactor(proof.name)),
    confirmFactor,
    makeCodes: (proof) => proven(proof, () => people.users.renewRecoveryCodes(proof.name)),
    endOne: async (by, id) => void (await people.sessions.endOne(by, id)),
    endOthers: async (by, token) => void (await people.sessions.endAll(by, { but: token })),
  };
}
