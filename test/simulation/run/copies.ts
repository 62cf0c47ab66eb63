import type { QueueBoard } from '../doubles/queue-board.ts';
import type { VirtualRedis } from '../doubles/virtual-redis.ts';

/** A copy that is younger than two seconds is not told from Redis itself (src/ledger/calls/send-marks.ts). */
const YOUNGEST_MS = 2_500;
const TAKEN_EVERY_MS = 1_000;

/** Copies of Redis, with the queues in it, to which it may go back. */
export function makeCopies({ redis, board, nowMs }: { redis: VirtualRedis; board: QueueBoard; nowMs: () => number }) {
  const copies: { atMs: number; goBack: () => Promise<void> }[] = [];
  return {
    /** Takes one, where the last is older than a second. */
    async take(): Promise<void> {
      const atMs = nowMs();
      if (atMs - (copies.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) < TAKEN_EVERY_MS) return;
      const ofQueues = board.queues().map((queue) => queue.keep());
      const ofRedis = await redis.keep();
      copies.push({
        atMs,
        async goBack() {
          await ofRedis();
          for (const back of ofQueues) back();
        },
      });
    },
    /** To the youngest copy that is told from it; where there is none, nothing happens. */
    async goBack(): Promise<void> {
      const copy = copies.findLast(({ atMs }) => atMs <= nowMs() - YOUNGEST_MS);
      await copy?.goBack();
    },
  };
}
