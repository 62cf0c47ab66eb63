import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';

/** So many ends of attempts are remembered, some hundred bytes each: the last quarter of a minute of a fast line. */
const REMEMBERED = 20_000;

/** Writes down once more how an attempt ended; harmless where it is written down already. */
type Close = () => Promise<unknown>;

/** A claim that another found, and found too old: whose attempt, and what it was to make. */
export type Dispute = { kind: string; owner: string; key: string };

export type Attempts = ReturnType<typeof makeAttempts>;

/**
 * The attempts of this process at making things: which are still active, and how the last ones ended. The ledger may
 * show a claim of ours that we no longer have: Redis took the end of it back when a replica took over, or the claim arrived after we had given it up.
 * Nobody else can tell, since we live; so we say what we know.
 */
export function makeAttempts({ processId, log }: { processId: string; log: Log }) {
  const active = new Set<string>();
  const ended = new Map<string, Close>();
  let count = 0;

  return {
    /** The owner's name of a new attempt. */
    begin(): string {
      count += 1;
      const owner = `${processId}/${count}`;
      active.add(owner);
      return owner;
    },

    /** It is over, and `close` writes down once more how. */
    end(owner: string, close: Close): void {
      active.delete(owner);
      ended.set(owner, close);
      const [oldest] = ended.keys();
      if (ended.size > REMEMBERED && oldest !== undefined) ended.delete(oldest);
    },

    /**
     * Answers claims that others dispute: one that is active is left alone, one that ended is closed again, and of any other
     * `disown` says that nobody knows.
     */
    async answer(disputes: readonly Dispute[], disown: (dispute: Dispute) => Promise<unknown>): Promise<void> {
      for (const dispute of disputes) {
        if (active.has(dispute.owner)) continue;
        const close = ended.get(dispute.owner) ?? (() => disown(dispute));
        await close().catch((error) =>
          log.debug({ reason: messageOf(error) }, 'a disputed claim could not be answered'),
        );
        log.warn({ kind: dispute.kind }, 'Redis showed a claim that this process no longer had; it was closed');
      }
    },
  };
}
