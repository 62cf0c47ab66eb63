import { counted } from '../../counted.ts';
import { makeGatedScript } from '../schema/gated-script.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { STEPS, type Step } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';

/** Most rows that can go first. */
export const MOST_FIRST = 10_000;

/**
 * Sends some rows of a portfolio first, in the order of lines. When they have ended, the portfolio pauses itself, so that a person can look
 * at the responses. Exactly so many are sent, however many processes feed and work: the rows are chosen in Redis before any of them has
 * a job, and no other row leaves the queue. `resume` then lets all others go.
 */
export function makeFirstRows({ connection, keys }: LedgerPlace) {
  const first = makeGatedScript(connection, 'first-rows');
  const placesOf = (name: string) => ({
    portfolio: keys.portfolio(name),
    chosen: keys.firstRows(name),
    waiting: keys.rowsInState(name, 'queued'),
    begins: keys.row(name, ''),
    others: STEPS.map((step) => keys.rowsInState(name, step)),
  });
  const resume = async (name: string, told: { count?: 1; words?: string }) => {
    const fields = [...STEPS.map((step) => `canary:${step}`), 'others'];
    return (await first(placesOf(name), { what: 'resume', ...told, fields })) as string | null;
  };
  return {
    /** From now on only `count` rows leave the queue, 1 to {@link MOST_FIRST}; rows that an earlier call chose to go first are among them. */
    async sendFirst(name: string, count: number): Promise<void> {
      await first(placesOf(name), { what: 'send', count });
    },

    /**
     * Lets a portfolio go on, and counts the first responses of each step anew. If its first rows have ended, all others may go; if
     * something else paused it before that, the first rows still go first. Answers how many those are, or undefined if all may go.
     */
    async resume(name: string): Promise<number | undefined> {
      const left = await resume(name, {});
      return left ? Number(left) : undefined;
    },

    /**
     * Lets a portfolio go on as {@link resume} does, but only if its pause reason is still `paused` ('' if it is not paused). Answers
     * whether it was.
     */
    async resumeAsPaused(name: string, paused = ''): Promise<boolean> {
      return (await resume(name, { count: 1, words: paused })) !== null;
    },

    /**
     * The first rows that still wait, with their steps: `count` of them from index `from` on. Pauses the portfolio if all first rows have
     * ended.
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

/** The pause reason of a portfolio whose first rows have ended. */
export function firstWords(count: number): string {
  return `${counted(count, 'row was', 'rows were')} sent first; resume to send the rest`;
}
