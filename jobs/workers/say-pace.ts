import type { Log } from '../../src/log.ts';
import type { Service } from '../../src/open-service.ts';
import { describePace } from '../../src/pace/pace-words.ts';
import type { Queues } from '../../src/queue/queues.ts';

/** The log says this often what the pace is. */
const SAY_EVERY_MS = 10_000;

/**
 * Says in the log now and then what holds calls back, as it is at that moment: where anything has left this process, a door
 * is shut or a queue is paused, and only while there is something to do.
 */
export function startSayingPace({
  service: { pace, doors, slots, paceNow },
  queues,
  log,
  everyMs = SAY_EVERY_MS,
}: {
  service: Pick<Service, 'paceNow'> & {
    pace: Pick<Service['pace'], 'state' | 'look'>;
    doors: Pick<Service['doors'], 'shut' | 'look'>;
    slots: Pick<Service['slots'], 'inFlight'>;
  };
  queues: Pick<Queues, 'areIdle'>;
  log: Log;
  everyMs?: number;
}) {
  let said = pace.state();
  const say = async (): Promise<void> => {
    // Calls that wait at shut doors ask for no turn, so the pace stays as it was.
    const isKnown = pace.state() === said && (paceNow().paused ?? []).length === 0;
    if (isKnown && doors.shut().length === 0) return;
    const isIdle = slots.inFlight() === 0 && (await queues.areIdle());
    if (!isIdle) {
      await Promise.all([pace.look(), doors.look()]);
      const words = describePace(paceNow());
      if (words !== '') log.info({ callsPerS: Math.round(pace.state().flowPerS), inFlight: slots.inFlight() }, words);
    }
    said = pace.state();
  };
  // While Redis is away, that is said by others.
  const timer = setInterval(() => void say().catch(() => {}), everyMs).unref();
  return { stop: (): void => clearInterval(timer) };
}
