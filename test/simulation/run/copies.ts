import type { QueueBoard } from '../doubles/queue-board.ts';
import type { VirtualRedis } from '../doubles/virtual-redis.ts';

/** A copy younger than two seconds cannot be distinguished from Redis itself (src/ledger/calls/send-marks.ts). */
const YOUNGEST_MS = 2_500;
const TAKEN_EVERY_MS = 1_000;

/** Copies of Redis and its queues, to which a run may return. */
export function makeCopies({ redis, board, nowMs }: { redis: VirtualRedis; board: QueueBoard; nowMs: () => number }) {
  const copies: { atMs: number; goBack: () => Promise<void> }[] = [];
  return {
    /** Takes a copy if the last one is older than a second. */
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
    /** Returns to the youngest copy that can be distinguished; does nothing if there is none. */
    async goBack(): Promise<void> {
      const copy = copies.findLast(({ atMs }) => atMs <= nowMs() - YOUNGEST_MS);
      await copy?.goBack();
    },
  };
}
