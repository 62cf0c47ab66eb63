import { onceAtATime } from '../../src/once-at-a-time.ts';
import { type PaceSamples, SAMPLE_EVERY_MS } from '../../src/pace/samples.ts';

/** Until an account has its first sample, one is tried for more often: what was accepted before it has no time. */
const FIRST_EVERY_MS = 250;

/**
 * Notes every two seconds how the fleet's pace stands, for charts and for the time left. Each process asks; one of them writes, so
 * that a sample costs Redis some microseconds however many there are.
 */
export function startSamplingPace(samples: Pick<PaceSamples, 'add'>) {
  let [isFirst, isStopped] = [true, false];
  // While Redis is away, that is said by others, and a chart has a gap.
  const sample = onceAtATime(() => samples.add().then(startAnew, () => {}));
  let timer = setInterval(sample, FIRST_EVERY_MS).unref();
  const startAnew = (noted: boolean): void => {
    if (!noted || !isFirst || isStopped) return;
    isFirst = false;
    clearInterval(timer);
    timer = setInterval(sample, SAMPLE_EVERY_MS).unref();
  };
  return {
    stop(): void {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
