import type { HashQueue } from '../passwords/hash-queue.ts';
import { verifyPassword } from '../passwords/password-hash.ts';
import { isOfPossibleLength, normalPassword } from '../passwords/password-rules.ts';
import { addressGroups } from './address-group.ts';
import type { Guesses, Try } from './guesses.ts';

/** `later`: too many wrong ones; `busy`: too many people at this moment; `no`: a wrong name or password, and it is not said which. */
export type RefusedSignIn = { is: 'no' } | { is: 'later'; afterS: number } | { is: 'busy' };

export type TakenTry = Extract<Try, { is: 'try' }>;

/** Somebody gave the right password of a user who had this epoch then. It was counted as a wrong one, until that is taken back. */
export type RightPassword = { is: 'right'; taken: TakenTry; epoch: string };

export type TryPassword = (
  name: string,
  password: string,
  from: string,
  device?: string,
) => Promise<RefusedSignIn | RightPassword>;

/**
 * Compares a password: counted first, then in its turn, and for the same time whether or not there is such a user (ASVS 5.0, 6.3.8).
 */
export function makeTryPassword({ guesses, queue }: { guesses: Guesses; queue: HashQueue }): TryPassword {
  return async (name, password, from, device) => {
    const network = addressGroups(from).at(-1);
    const taken = await guesses.takePassword(name, from, { onlyKnown: queue.isFull('stranger', network), device });
    if (taken.is !== 'try') return taken;
    const { epoch, password: kept, isExpired } = taken.user;
    const verify = () => verifyPassword(normalPassword(cut(password)), kept);
    const isRight = await queue.run(taken.isKnown ? 'known' : 'stranger', verify, network);
    if (isRight === 'busy') {
      // The last place in the queue was somebody else's in the meantime.
      await guesses.untake(taken.counted);
      return { is: 'busy' };
    }
    if (!isRight || epoch === undefined || isExpired || !isOfPossibleLength(password)) return { is: 'no' };
    return { is: 'right', taken, epoch };
  };
}

/** What is longer than any password may be is compared by its beginning, and is wrong whatever comes of it. */
function cut(password: string): string {
  return isOfPossibleLength(password) ? password : password.slice(0, 100);
}
