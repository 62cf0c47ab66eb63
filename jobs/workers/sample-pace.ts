import { type PaceSamples, SAMPLE_EVERY_MS } from '../../src/pace/samples.ts';

/** Until an account has its first sample, one is tried for more often: what was accepted before it has no time. */
const FIRST_EVERY_MS = 250;

/**
 * Notes every two seconds how the fleet's pace stands, for charts and for the time left. Each process asks; one of them writes, so
 * that a sample costs Redis some microseconds however many there are.
 */
export function startSamplingPace(samples: Pick<PaceSamples, 'add'>) {
  let busy = false;
  let timer = setInterval(() => sample(startsAnew), FIRST_EVERY_MS).unref();
  const sample = (then: (noted: boolean) => void = () => {}): void => {
    if (busy) return;
    busy = true;
    samples
      .add()
      .then(then)
      // While Redis is away, that is said by others, and a chart has a gap.
      .catch(() => {})
      .finally(() => {
        busy = false;
      });
  };
  const startsAnew = (noted: boolean): void => {
    if (!noted || stopped) return;
    clearInterval(timer);
    timer = setInterval(sample, SAMPLE_EVERY_MS).unref();
  };
  let stopped = false;
  return {
    stop(): void {
      stopped = true;
      clearInterval(timer);
    },
  };
}
