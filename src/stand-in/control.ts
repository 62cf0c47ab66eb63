import type { Log } from '../log.ts';
import type { Faults } from './faults.ts';
import type { MadeRecord } from './record.ts';
import type { RequestTimes } from './request-times.ts';

export type Control = ReturnType<typeof makeControl>;

/** The operations on a running stand-in, for its own process and over HTTP. */
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
    /** Requests by kind and answer, made objects by kind, and peaks of traffic at the resource endpoints. */
    counts,

    /** The counts, and how often each object was made. */
    report: () => ({ ...counts(), madeTwice: record.twice(), times: record.times() }),

    faults: () => ({ settings: faults.settings(), hits: faults.hits() }),

    /** Applies a change of faults, except for closing the port. @throws LimitlineError `USAGE` */
    setFaults(change: unknown): void {
      faults.set(change);
      // Without the change itself: its rules may contain parts of bodies.
      log.info({ changed: Object.keys(Object(change)) }, 'the stand-in has new faults');
    },

    /** Opens or closes the port according to the faults. */
    followOutage,

    /** Resets all counts, and the faults to those at the start. Does not touch the port. */
    reset(): void {
      record.reset();
      times.reset();
      faults.restore();
    },
  };
}
