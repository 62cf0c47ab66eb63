import { messageOf } from '../../src/errors.ts';
import type { Log } from '../../src/log.ts';
import type { Answered } from '../../src/service/client.ts';
import type { Admission, AdmissionDeps } from './admission.ts';
import type { CallRequest } from './call-request.ts';

/**
 * Passes on what an answer says besides its meaning: to the slots of this process, to the pace and the breakers of the fleet.
 * Never rejects, since the answer has to reach the ledger whatever becomes of these.
 *
 * @param sentAtMs when it was sent, as `performance.now()` has it
 * @param isAlone whether this call alone is put off while others pass
 */
export async function passOn(
  answer: Answered,
  { kind }: CallRequest,
  { episode, probe, sentAtMs, isAlone }: Pick<Admission, 'episode' | 'probe'> & { sentAtMs: number; isAlone: boolean },
  deps: Omit<AdmissionDeps, 'stopping'> & { log: Log },
): Promise<void> {
  const { pace, slots, log } = deps;
  // A document's time is its size's, and an answer that nobody waited for says nothing of the service's load.
  if ((answer.is === 'made' || answer.is === 'not ours') && kind !== 'document')
    slots.answeredAfter(performance.now() - sentAtMs, kind);
  // At once, since telling the others takes a while on a busy machine.
  if (answer.is === 'unknown') slots.failed(false);
  const warn = (error: unknown) => {
    log.warn({ reason: messageOf(error) }, 'the pace could not be told of an answer');
  };
  // Where others pass, being put off says something of this row and nothing of the service's limit.
  const saysNothing = isAlone && answer.is === 'throttled';
  await (saysNothing ? pace.obey(answer.headers) : tellPace(answer, episode, deps)).catch(warn);
  await tellBreakers(answer, { kind, probe, sentAtMs }, deps).catch(warn);
}

/** Tells the pace what an answer says of it: slow down, nobody there, or all well. */
async function tellPace(answer: Answered, episode: number, { pace }: Pick<AdmissionDeps, 'pace'>): Promise<void> {
  switch (answer.is) {
    case 'throttled': {
      const { status, headers } = answer;
      if (status === 429) return pace.block({ why: 'the service says too fast', because: 'limit', headers, episode });
      const why = `the service is not available (status ${status})`;
      return pace.block({ why, because: 'outage', mayBeLimit: true, headers, episode });
    }
    case 'unreachable':
      return pace.block({ why: `the service is not answering (${answer.reason})`, because: 'outage', episode });
    case 'unknown':
    case 'unauthorized':
      return pace.obey(answer.headers);
    default:
      return pace.answered(answer.headers);
  }
}

/** Tells the breakers whether it is known what became of the call, and so whether more of its kind may follow. */
async function tellBreakers(
  answer: Answered,
  { kind, probe, sentAtMs }: Pick<CallRequest, 'kind'> & Pick<Admission, 'probe'> & { sentAtMs: number },
  { breakers, slots }: Pick<AdmissionDeps, 'breakers' | 'slots'>,
): Promise<void> {
  switch (answer.is) {
    case 'made':
    case 'not ours':
      return breakers.known(kind, { token: answer.token, sentAtMs }, probe);
    case 'refused':
      return breakers.known(kind, undefined, probe);
    case 'unknown':
      await breakers.unknown(kind, answer.brief ?? answer.reason, probe);
      // A service that fails under load is not to meet all of it again as soon as its breaker resets.
      if (breakers.isTripped(kind)) slots.failed(true);
      return;
    default:
      return;
  }
}
