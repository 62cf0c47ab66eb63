import { LimitlineError } from '../../src/errors.ts';

type Methods = Record<string, unknown>;

/**
 * A process that is killed before its nth action. From then on, every given function throws, so that no cleanup of the
 * process has an effect.
 */
export function makeMortal(diesBefore: number) {
  const done: string[] = [];
  let isDead = false;
  return {
    isDead: () => isDead,
    /** The actions, in their order. */
    done,
    /** The same functions while the process lives. The named functions must be asynchronous. */
    mortal<T extends object>(what: string, its: T, names: readonly (keyof T & string)[]): T {
      const own = { ...its } as Methods;
      for (const name of names) {
        own[name] = async (...args: unknown[]) => {
          if (done.length + 1 === diesBefore) isDead = true;
          // An error, because code that waits for Redis must not wait for a dead process.
          if (isDead) throw new LimitlineError('STOPPED', 'killed');
          done.push(`${what}.${name}`);
          return ((its as Methods)[name] as (...args: unknown[]) => unknown).apply(its, args);
        };
      }
      return own as unknown as T;
    },
  };
}
