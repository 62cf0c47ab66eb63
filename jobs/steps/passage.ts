import type { CallKind } from '../../src/call-kind.ts';
import type { Trial } from '../../src/pace/door-trials.ts';
import type { Doors } from '../../src/pace/doors.ts';
import type { Pace } from '../../src/pace/pace.ts';
import type { Slots } from '../../src/pace/slots.ts';
import type { Turn } from '../../src/pace/turn.ts';

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
  /** Its call was answered: another may be in flight in its place, while this one is written down. */
  leaveSlot: () => void;
  /**
   * The same for the row's next call, of this kind: a passage in the same slot, where there is a turn at this moment and nothing else
   * to wait for.
   */
  passOn: (kind: CallKind) => Passage | undefined;
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
  try {
    giveSlotBack = await slots.take(deps.stopping);
    const turn = await pace.take(deps.stopping);
    return makePassage(kind, turn, { trial, giveSlotBack }, deps);
  } catch (error) {
    giveSlotBack?.();
    await trial?.giveBack();
    throw error;
  }
}

function makePassage(
  kind: CallKind,
  turn: Turn,
  { trial, giveSlotBack }: { trial?: Trial | undefined; giveSlotBack: () => void },
  deps: PassageDeps,
): Passage {
  const { pace, doors, slots, stopping } = deps;
  let hasSlot = true;
  const leaveSlot = (): void => {
    if (hasSlot) giveSlotBack();
    hasSlot = false;
  };
  return {
    ...turn,
    trial,
    isShutOut: () => trial === undefined && doors.isShut(kind),
    leaveSlot,
    passOn(next) {
      if (!hasSlot || stopping.aborted || slots.areTooMany() || !doors.isOpenNow(next)) return undefined;
      const nextTurn = pace.takeNow();
      if (!nextTurn) return undefined;
      hasSlot = false;
      return makePassage(next, nextTurn, { giveSlotBack }, deps);
    },
    async end() {
      leaveSlot();
      await trial?.giveBack();
    },
  };
}
