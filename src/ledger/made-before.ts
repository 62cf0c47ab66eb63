import type { RedisConnection } from '../lua-script.ts';
import type { CallKind, Keys } from './keys.ts';

/** How many of these things the ledger knows to be made already; it only looks. */
export type MadeBefore = (kind: CallKind, keys: readonly string[]) => Promise<number>;

export function makeMadeBefore({ connection, keys }: { connection: RedisConnection; keys: Keys }): MadeBefore {
  return async (kind, things) => {
    if (things.length === 0) return 0;
    const step = connection.pipeline();
    for (const thing of things) step.hget(keys.call(kind, thing), 'state');
    const answers = (await step.exec()) ?? [];
    return answers.filter(([, state]) => state === 'made').length;
  };
}
