import { startKeepingSchedule } from '../../jobs/nightly/keep-schedule.ts';
import type { Context } from '../../src/context.ts';
import { messageOf } from '../../src/errors.ts';
import { scheduleOf } from '../../src/schedule/read-schedule.ts';
import { NIGHT_PARTS, type NightPart } from './night-parts.ts';
import { startNightWorker } from './run-nights.ts';

/**
 * Runs what is due when it is due, and does what goes on beside it, until it is stopped. Start as many as you like: each run is made
 * once.
 *
 * @param given.parts what goes on beside the schedule; for tests
 */
export async function stayOnDuty(context: Context, { parts = NIGHT_PARTS }: { parts?: readonly NightPart[] } = {}) {
  const { fleet, log, nightlyRuns: runs, settings } = context;
  const stopping = new AbortController();
  await fleet.join('nightly');
  const entries = scheduleOf(settings.LIMITLINE_SCHEDULE);
  const maintenance = context.maintenance();
  const schedule = await startKeepingSchedule(entries, { runs, maintenance, onDuty: fleet.onDuty, log });
  const worker = startNightWorker(context);
  const started: { stop(): void | Promise<void> }[] = [];
  for (const part of parts) {
    try {
      started.push(await part.start(context, { log, signal: stopping.signal }));
    } catch (error) {
      // What is wrong with one, such as a folder that is not there, is no reason to leave the others undone.
      log.error(
        { part: part.name, reason: messageOf(error) },
        `${part.name} could not begin; the rest of the night does`,
      );
    }
  }
  return {
    /** Ends in good order: what is in the middle of a run is left to others, or to the next start. */
    async stop(): Promise<void> {
      stopping.abort(new Error('this process stops'));
      schedule.stop();
      await Promise.all([worker.stop(), ...started.map((part) => part.stop())]);
      await fleet.leave();
    },
  };
}
