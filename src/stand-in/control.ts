import type { Log } from '../log.ts';
import type { Faults } from './faults.ts';
import type { MadeRecord } from './record.ts';
import type { RequestTimes } from './request-times.ts';

export type Control = ReturnType<typeof makeControl>;

/** What may be asked of a running stand-in and done with it, by its own process and over HTTP alike. */
export function makeControl({
  faults,
  record,
  times,
  followOutage,
  log,
}: {
  faults: Faults;
  record: MadeRecord;
  times: RequestTimes;
  followOutage: () => void;
  log: Log;
}) {
  const counts = () => ({
    requests: record.requests(),
    made: record.totals(),
    maxPerSecond: times.maxPerSecond(),
    maxInFlight: times.maxInFlight(),
  });
  return {
    /** Requests by kind and by answer, things made by kind, and the peaks of traffic at the resource endpoints. */
    counts,

    /** The counts, and what was made how often. */
    report: () => ({ ...counts(), madeTwice: record.twice(), times: record.times() }),

    faults: () => ({ settings: faults.settings(), hits: faults.hits() }),

    /** Puts a change in force, all but the closing of the port. @throws LimitlineError `USAGE` */
    setFaults(change: unknown): void {
      faults.set(change);
      // Not the change itself: its rules may name what a body must contain.
      log.info({ changed: Object.keys(Object(change)) }, 'the stand-in has new faults');
    },

    /** Closes or opens the port as the faults now want it. */
    followOutage,

    /** All counts at zero, the faults as at the start, all but the port. */
    reset(): void {
      record.reset();
      times.reset();
      faults.restore();
    },
  };
}
