import type { CallKind } from '../../src/call-kind.ts';
import type { Trial } from '../../src/pace/door-trials.ts';
import type { Doors } from '../../src/pace/doors.ts';
import type { Pace } from '../../src/pace/pace.ts';
import type { Slots } from '../../src/pace/slots.ts';
import type { Turn } from '../../src/pace/turn-queue.ts';

/** What a call waits for before it is claimed: the door of its kind, a slot of this process, and a turn of the fleet. */
export type PassageDeps = {
  pace: Pace;
  doors: Doors;
  slots: Slots;
  /** Aborted when the process stops, or rests while all calls wait: no new call starts from then on. */
  stopping: AbortSignal;
};

/** The way is free for one call, now; `end` gives back what it took, whatever became of the call. */
export type Passage = Turn & {
  /** The trial that this call is, where its door is shut for all others. */
  trial: Trial | undefined;
  /** Whether its door was shut while it waited for its slot or its turn. */
  isShutOut: () => boolean;
  end: () => Promise<void>;
};

/**
 * Waits until a call of this kind may leave, however long that takes. Rejects with `STOPPED` when the process stops first.
 *
 * @param tryToken makes a token call before a trial, and answers whether there is a token
 */
export async function waitForPassage(
  kind: CallKind,
  tryToken: () => Promise<boolean>,
  deps: PassageDeps,
): Promise<Passage> {
  const { pace, doors, slots } = deps;
  // Read anew for each wait: a rest may begin and end in between.
  const trial = await doors.enter(kind, {
    signal: deps.stopping,
    tryToken,
    waitMs: () => (pace.state().blocked?.untilMs ?? 0) - Date.now(),
  });
  let giveSlotBack: (() => void) | undefined;
  const end = async (): Promise<void> => {
    giveSlotBack?.();
    await trial?.giveBack();
  };
  try {
    giveSlotBack = await slots.take(deps.stopping);
    const turn = await pace.take(deps.stopping);
    return { ...turn, trial, isShutOut: () => trial === undefined && doors.isShut(kind), end };
  } catch (error) {
    await end();
    throw error;
  }
}
