import { onceAtATime } from '../../src/once-at-a-time.ts';
import type { Pace } from '../../src/pace/pace.ts';
import type { Runner } from '../../src/queue/runner.ts';

/** The rows in hand wait out a shorter wait themselves. */
const LONG_WAIT_MS = 5_000;

/** The process notices within this time that a wait has begun, or has ended early. */
const LOOK_EVERY_MS = 1_000;

/**
 * Lets this process rest while all calls wait for long: its workers take up nothing, and the rows that only wait in it
 * for a slot or a turn go back to their queues. Each would cost Redis the renewal of its lock, for an hour perhaps. Calls
 * under way go on.
 *
 * @param stopping aborted when the process stops: nothing is taken up again then
 */
export function startRest({
  pace,
  runners,
  stopping,
  onFault,
}: {
  pace: Pick<Pace, 'state' | 'look'>;
  runners: () => readonly Pick<Runner, 'pause' | 'resume'>[];
  stopping: AbortSignal;
  onFault: (error: unknown) => void;
}) {
  let resting = new AbortController();
  let signal = AbortSignal.any([stopping, resting.signal]);
  let isQuiet = false;
  const takeUp = () => (isQuiet ? undefined : Promise.all(runners().map((runner) => runner.resume())));
  let aloneUntilMs = 0;
  const waitsMs = () => Math.max((pace.state().blocked?.untilMs ?? 0) - Date.now(), aloneUntilMs - performance.now());

  const look = async (): Promise<void> => {
    if (!resting.signal.aborted) {
      if (waitsMs() < LONG_WAIT_MS) return;
      // Pausing comes first: a row that is put back would be taken up again at once.
      await Promise.all(runners().map((runner) => runner.pause()));
      resting.abort();
      return;
    }
    await pace.look();
    // Rows are taken up again in the last second, and wait it out in hand.
    if (waitsMs() > LOOK_EVERY_MS || stopping.aborted) return;
    resting = new AbortController();
    signal = AbortSignal.any([stopping, resting.signal]);
    await takeUp();
  };
  const timer = setInterval(
    onceAtATime(() => look().catch(onFault)),
    LOOK_EVERY_MS,
  );

  return {
    /** Aborted when who waits for a slot or a turn is to put its row back: the process rests, or stops. */
    signal: (): AbortSignal => signal,
    isQuiet: (): boolean => isQuiet,
    /** Rests for so long, though others may send; a few seconds at the least, or it is too short for a rest. */
    alone: (ms: number): void => {
      aloneUntilMs = performance.now() + ms;
    },
    /** Takes up nothing new from now on, or takes up rows again. Rows in hand are finished, unless all calls wait for long. */
    async quiet(wish: boolean): Promise<void> {
      isQuiet = wish;
      if (wish) await Promise.all(runners().map((runner) => runner.pause()));
      else if (!signal.aborted) await takeUp();
    },
    stop: (): void => clearInterval(timer),
  };
}
