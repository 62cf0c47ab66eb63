import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';

/** The number of ended attempts that are remembered, some hundred bytes each: those of about 15 seconds at full speed. */
const REMEMBERED = 20_000;

/** Writes the end of an attempt into the ledger again. If the ledger has it already, nothing changes. */
type Close = () => Promise<unknown>;

/** A claim of this process that another process found to be too old. */
export type Dispute = { kind: string; owner: string; key: string };

export type Attempts = ReturnType<typeof makeAttempts>;

/**
 * The attempts of this process: which are active, and how the latest ones ended. The ledger may still show a claim as open that this
 * process has ended: a promoted replica lacked the end, or the claim arrived after it was given up. Only this process can know, so it
 * answers the disputes about its claims.
 */
export function makeAttempts({ processId, log }: { processId: string; log: Log }) {
  const active = new Set<string>();
  const ended = new Map<string, Close>();
  let count = 0;

  return {
    /** Starts an attempt, and returns its name as an owner. */
    begin(): string {
      count += 1;
      const owner = `${processId}/${count}`;
      active.add(owner);
      return owner;
    },

    /** Ends an attempt. If the ledger still shows it as active later, `close` is called, which writes its end again. */
    end(owner: string, close: Close): void {
      active.delete(owner);
      ended.set(owner, close);
      const [oldest] = ended.keys();
      if (ended.size > REMEMBERED && oldest !== undefined) ended.delete(oldest);
    },

    /**
     * Answers disputes: an active claim is left alone and an ended one is closed again. For an unknown one, `disown` records an unknown
     * outcome.
     */
    async answer(disputes: readonly Dispute[], disown: (dispute: Dispute) => Promise<unknown>): Promise<void> {
      for (const dispute of disputes) {
        if (active.has(dispute.owner)) continue;
        const close = ended.get(dispute.owner) ?? (() => disown(dispute));
        await close().catch((error) =>
          log.debug({ reason: messageOf(error) }, 'a disputed claim could not be answered'),
        );
        log.warn(
          { kind: dispute.kind },
          'Redis had a claim of this process that the process no longer holds; the claim was closed',
        );
      }
    },
  };
}
