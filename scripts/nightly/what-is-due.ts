import { dueNights } from '../../jobs/nightly/due-tasks.ts';
import type { Context } from '../../src/context.ts';
import { messageOf } from '../../src/errors.ts';
import { scheduleOf } from '../../src/schedule/read-schedule.ts';
import { NIGHT_PARTS, type NightPart } from './night-parts.ts';
import { type NightEnd, runNights } from './run-nights.ts';

/**
 * One pass of all that the night's process does: what is due by the schedule of this process, what somebody asked for in the console,
 * and the other parts once each. A task is
 * due where its latest moment has passed and no run of that night has ended; so the first pass of all runs everything.
 */
export async function doWhatIsDue(
  context: Context,
  { signal, parts = NIGHT_PARTS }: { signal: AbortSignal; parts?: readonly NightPart[] },
): Promise<NightEnd[]> {
  // What a process that is gone has left to be run in its time would be run by this one, though its own schedule is another.
  if ((await context.fleet.onDuty()).length === 0) await context.maintenance().keep([]);
  const entries = scheduleOf(context.settings.LIMITLINE_SCHEDULE);
  const due = await dueNights(entries, { runs: context.nightlyRuns, nowMs: Date.now() });
  const asked = (await context.maintenance().asked()).map(({ task, dueMs, by }) => {
    return { task, id: new Date(dueMs).toISOString(), atMs: dueMs, by };
  });
  const ends = await runNights([...due, ...asked], context, { signal });
  for (const part of parts) {
    if (signal.aborted) break;
    try {
      await part.once(context, { signal });
    } catch (error) {
      context.log.error({ part: part.name, reason: messageOf(error) }, `${part.name} could not be done`);
      ends.push({ task: part.name, night: '', end: undefined });
    }
  }
  return ends;
}
