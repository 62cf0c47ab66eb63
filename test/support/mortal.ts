import { LimitlineError } from '../../src/errors.ts';

type Methods = Record<string, unknown>;

/**
 * A process that is killed before the so manieth thing that it does: of what it was given, every function throws from then on, so that
 * nothing of it has any effect, whatever it would still clear away.
 */
export function makeMortal(diesBefore: number) {
  const done: string[] = [];
  let isDead = false;
  return {
    isDead: () => isDead,
    /** What it did, in its order. */
    done,
    /** The same functions as long as it lives. All of them answer promises, or are not named. */
    mortal<T extends object>(what: string, its: T, names: readonly (keyof T & string)[]): T {
      const own = { ...its } as Methods;
      for (const name of names) {
        own[name] = async (...args: unknown[]) => {
          if (done.length + 1 === diesBefore) isDead = true;
          // What waits for Redis is not to wait for the dead.
          if (isDead) throw new LimitlineError('STOPPED', 'killed');
          done.push(`${what}.${name}`);
          return ((its as Methods)[name] as (...args: unknown[]) => unknown).apply(its, args);
        };
      }
      return own as unknown as T;
    },
  };
}
