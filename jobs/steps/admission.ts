import type { CallKind } from '../../src/call-kind.ts';
import type { Breakers } from '../../src/pace/breakers.ts';
import type { Pace } from '../../src/pace/pace.ts';
import type { Permit } from '../../src/pace/permit.ts';
import type { Probe } from '../../src/pace/probes.ts';
import type { Slots } from '../../src/pace/slots.ts';

/** What a call waits for before it is claimed: the circuit breaker of its kind, a slot of this process, and a permit of the fleet. */
export type AdmissionDeps = {
  pace: Pace;
  breakers: Breakers;
  slots: Slots;
  /** Aborted when the process stops, or rests while all calls wait: no new call starts from then on. */
  stopping: AbortSignal;
};

/** One call may leave now; `end` gives back what it took, whatever became of the call. */
export type Admission = Permit & {
  /** The probe that this call is, where its breaker is tripped for all others. */
  probe: Probe | undefined;
  /** Whether its breaker was tripped while it waited for its slot or its permit. */
  wasTripped: () => boolean;
  /** Its call was answered: another may be in flight in its place, while this one is written down. */
  leaveSlot: () => void;
  /**
   * The same for the row's next call, of this kind: an admission in the same slot, where there is a permit at this moment and nothing else
   * to wait for.
   */
  admitNext: (kind: CallKind) => Admission | undefined;
  end: () => Promise<void>;
};

/**
 * Waits until a call of this kind may leave, however long that takes. Rejects with `STOPPED` when the process stops first.
 *
 * @param tryToken makes a token call before a probe, and answers whether there is a token
 */
export async function waitForAdmission(
  kind: CallKind,
  tryToken: () => Promise<boolean>,
  deps: AdmissionDeps,
): Promise<Admission> {
  const { pace, breakers, slots } = deps;
  // Read anew for each wait: a rest may begin and end in between.
  const probe = await breakers.enter(kind, {
    signal: deps.stopping,
    tryToken,
    waitMs: () => (pace.state().blocked?.untilMs ?? 0) - Date.now(),
  });
  let giveSlotBack: (() => void) | undefined;
  try {
    giveSlotBack = await slots.take(deps.stopping);
    const permit = await pace.take(deps.stopping);
    return makeAdmission(kind, permit, { probe, giveSlotBack }, deps);
  } catch (error) {
    giveSlotBack?.();
    await probe?.giveBack();
    throw error;
  }
}

function makeAdmission(
  kind: CallKind,
  permit: Permit,
  { probe, giveSlotBack }: { probe?: Probe | undefined; giveSlotBack: () => void },
  deps: AdmissionDeps,
): Admission {
  const { pace, breakers, slots, stopping } = deps;
  let hasSlot = true;
  const leaveSlot = (): void => {
    if (hasSlot) giveSlotBack();
    hasSlot = false;
  };
  return {
    ...permit,
    probe,
    wasTripped: () => probe === undefined && breakers.isTripped(kind),
    leaveSlot,
    admitNext(next) {
      if (!hasSlot || stopping.aborted || slots.areTooMany() || !breakers.isOpenNow(next)) return undefined;
      const nextPermit = pace.takeNow();
      if (!nextPermit) return undefined;
      hasSlot = false;
      return makeAdmission(next, nextPermit, { giveSlotBack }, deps);
    },
    async end() {
      leaveSlot();
      await probe?.giveBack();
    },
  };
}
