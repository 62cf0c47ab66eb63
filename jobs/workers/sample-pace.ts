import { type PaceSamples, SAMPLE_EVERY_MS } from '../../src/pace/samples.ts';

/**
 * Notes every two seconds how the fleet's pace stands, for charts. Each process asks; one of them writes, so that a sample costs
 * Redis some microseconds however many there are.
 */
export function startSamplingPace(samples: Pick<PaceSamples, 'add'>) {
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    samples
      .add()
      // While Redis is away, that is said by others, and a chart has a gap.
      .catch(() => {})
      .finally(() => {
        busy = false;
      });
  }, SAMPLE_EVERY_MS).unref();
  return { stop: (): void => clearInterval(timer) };
}
