import { onceAtATime } from '../../src/once-at-a-time.ts';
import type { Pace } from '../../src/pace/pace.ts';
import type { QueueRunner } from '../../src/queue/runner.ts';

/** The shortest wait of all calls, in ms, for which the workers pause. Rows in hand wait out shorter ones. */
const LONG_WAIT_MS = 5_000;

/** How often the length of the common wait is checked, so that a new or a shortened wait is noticed. */
const LOOK_EVERY_MS = 1_000;

/**
 * Pauses this process's workers while all calls wait for long. Rows that wait for a slot or a permit go back to their queues,
 * since each would renew its lock in Redis, perhaps for an hour. Calls in flight go on.
 *
 * @param stopping aborted when the process stops: nothing is resumed then
 */
export function startRest(given: {
  pace: Pick<Pace, 'state' | 'look'>;
  runners: () => readonly Pick<QueueRunner, 'pause' | 'resume'>[];
  stopping: AbortSignal;
  onFault: (error: unknown) => void;
}) {
  const { pace, runners, stopping, onFault } = given;
  let resting = new AbortController();
  let signal = AbortSignal.any([stopping, resting.signal]);
  let isQuiet = false;
  const takeUp = () => (isQuiet ? undefined : Promise.all(runners().map((runner) => runner.resume())));
  let aloneUntilMs = 0;
  const waitsMs = () => Math.max((pace.state().blocked?.untilMs ?? 0) - Date.now(), aloneUntilMs - performance.now());

  const look = async (): Promise<void> => {
    if (!resting.signal.aborted) {
      if (waitsMs() < LONG_WAIT_MS) return;
      // Workers pause first: otherwise they would take up returned rows at once.
      await Promise.all(runners().map((runner) => runner.pause()));
      resting.abort();
      return;
    }
    await pace.look();
    // Workers resume a second early, so that rows are ready when calls may go.
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
    /** Aborted when rows that wait for a slot or a permit must go back: the process rests or stops. */
    signal: (): AbortSignal => signal,
    isQuiet: (): boolean => isQuiet,
    /** Makes this process alone rest for `ms`. Less than about five seconds has no effect. */
    alone: (ms: number): void => {
      aloneUntilMs = performance.now() + ms;
    },
    /** Stops taking up rows, or starts again. Rows in hand are finished, unless all calls wait for long. */
    async quiet(shallBeQuiet: boolean): Promise<void> {
      isQuiet = shallBeQuiet;
      if (shallBeQuiet) await Promise.all(runners().map((runner) => runner.pause()));
      else if (!signal.aborted) await takeUp();
    },
    stop: (): void => clearInterval(timer),
  };
}
