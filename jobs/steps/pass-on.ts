import { messageOf } from '../../src/errors.ts';
import type { Log } from '../../src/log.ts';
import type { Answered } from '../../src/service/client.ts';
import type { Admission, AdmissionDeps } from './admission.ts';
import type { CallRequest } from './call-request.ts';

/**
 * Reports a response to the slots of this process and to the pace and breakers of the fleet. Never rejects, since the ledger must get the
 * response in any case.
 *
 * @param sentAtMs time of the send, by `performance.now()`
 * @param isAlone whether this call alone is throttled while others pass
 */
export async function passOn(
  answer: Answered,
  { kind }: CallRequest,
  { episode, probe, sentAtMs, isAlone }: Pick<Admission, 'episode' | 'probe'> & { sentAtMs: number; isAlone: boolean },
  deps: Omit<AdmissionDeps, 'stopping'> & { log: Log },
): Promise<void> {
  const { pace, slots, log } = deps;
  // Only these latencies show how busy the service is: a document's depends on its size, and a call without an answer has none.
  if ((answer.is === 'made' || answer.is === 'not ours') && kind !== 'document')
    slots.answeredAfter(performance.now() - sentAtMs, kind);
  // A slot is taken away before the round trips to Redis, which take a while on a busy machine.
  if (answer.is === 'unknown') slots.failed(false);
  const warn = (error: unknown) => {
    log.warn({ reason: messageOf(error) }, 'a response could not be counted for the rate of calls or for outages');
  };
  // A row that alone is throttled, while others pass, says nothing about the service's limit.
  const saysNothing = isAlone && answer.is === 'throttled';
  await (saysNothing ? pace.obey(answer.headers) : tellPace(answer, episode, deps)).catch(warn);
  await tellBreakers(answer, { kind, probe, sentAtMs }, deps).catch(warn);
}

/** Reports to the pace: throttled, unreachable or accepted. */
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

/** Reports to the breakers whether the outcome is known, which decides whether more calls of its kind may follow. */
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
      // A service that failed under load gets few calls at first when its breaker resets.
      if (breakers.isTripped(kind)) slots.failed(true);
      return;
    default:
      return;
  }
}
