import { counted } from '../../counted.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { makeGatedScript } from '../schema/gated-script.ts';
import type { Keys } from '../schema/keys.ts';
import { STEPS, type Step } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';

/** Who wants to see a few answers first looks at no more than this. */
export const MOST_FIRST = 10_000;

/**
 * Some rows of a portfolio go first, in the order of their lines, and when they are at an end the portfolio pauses itself, so
 * that a person looks at the answers. Exactly so many are sent, however many processes feed and work: which ones is written
 * down before any of them has a job, and no other leaves the queue. `resume` ends it when they are at an end.
 */
export function makeFirstRows({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const first = makeGatedScript(connection, 'first-rows');
  const placesOf = (name: string) => ({
    portfolio: keys.portfolio(name),
    chosen: keys.firstRows(name),
    waiting: keys.rowsInState(name, 'queued'),
    begins: keys.row(name, ''),
    others: STEPS.map((step) => keys.rowsInState(name, step)),
  });
  return {
    /** From now on so many rows of it leave the queue, 1 to {@link MOST_FIRST}, those counted that already did so. */
    async sendFirst(name: string, count: number): Promise<void> {
      await first(placesOf(name), { what: 'send', count });
    },

    /**
     * Lets a portfolio go on, and looks at the first answers again. Where its first rows are at an end, the rest goes; where
     * something else paused it before that, they still go first. Answers how many that are, nothing where all go.
     */
    async resume(name: string): Promise<number | undefined> {
      const canaries = STEPS.map((step) => `canary:${step}`);
      const left = (await first(placesOf(name), { what: 'resume', fields: [...canaries, 'others'] })) as string;
      return left === '' ? undefined : Number(left);
    },

    /**
     * The rows that go first and still wait, with their steps: so many, from this place on. Pauses a portfolio whose first rows
     * are all at an end.
     */
    async chooseFirst(
      name: string,
      most: number,
      { from, count }: { from: number; count: number },
    ): Promise<{ row: RowId; step: Step }[]> {
      const told = { what: 'choose', words: firstWords(most), from, count };
      const found = (await first(placesOf(name), told)) as string[];
      const pairs = Array.from({ length: found.length / 2 }, (_, place) => found.slice(2 * place, 2 * place + 2));
      return pairs.map(([key = '', step]) => ({ row: { portfolio: name, key }, step: step as Step }));
    },
  };
}

/** Why a portfolio is paused whose first rows are at an end. */
export function firstWords(count: number): string {
  return `${counted(count, 'row was', 'rows were')} sent first; resume to send the rest`;
}
