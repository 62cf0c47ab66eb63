import type { CallKind } from '../../src/call-kind.ts';
import type { Breakers } from '../../src/pace/breakers.ts';
import type { Pace } from '../../src/pace/pace.ts';
import type { Permit } from '../../src/pace/permit-queue.ts';
import type { Probe } from '../../src/pace/probes.ts';
import type { Slots } from '../../src/pace/slots.ts';

/** The parts that admit a call before its claim: the circuit breaker of its kind, a slot of this process and a permit of the fleet. */
export type AdmissionDeps = {
  pace: Pace;
  breakers: Breakers;
  slots: Slots;
  /** Aborted when the process stops, or rests while all calls wait. No new call starts after that. */
  stopping: AbortSignal;
};

/** The right of one call to leave now. `end` gives back its slot and its probe, whatever the outcome. */
export type Admission = Permit & {
  /** Set if this call is the probe of a tripped breaker. */
  probe: Probe | undefined;
  /** Whether the breaker was tripped while this call waited for its slot or its permit. */
  wasTripped: () => boolean;
  /** Frees the slot once the response is here, so that another call may be in flight while the ledger is written. */
  leaveSlot: () => void;
  /** Admits the row's next call in the same slot. Undefined unless a permit is free now and nothing else delays the call. */
  admitNext: (kind: CallKind) => Admission | undefined;
  end: () => Promise<void>;
};

/**
 * Waits, without a time limit, until a call of this kind may leave. Rejects with `STOPPED` when the process stops first.
 *
 * @param tryToken makes a token call before a probe, and returns whether there is a token
 */
export async function waitForAdmission(
  kind: CallKind,
  tryToken: () => Promise<boolean>,
  deps: AdmissionDeps,
): Promise<Admission> {
  const { pace, breakers, slots } = deps;
  // `stopping` is read anew for each wait: a process that rested in between has a new signal.
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
