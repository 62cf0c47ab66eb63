import { Counter, Registry } from '@prometheus-io/client';
import { EVENT_ENDS, type EventEnd } from '../events/arrived-event.ts';
import type { PaceState } from '../pace/pace-words.ts';
import { type AccountPicture, makeAccountGauges } from './account-gauges.ts';
import { addProcessMetrics, type CallMetrics, makeCallMetrics, startWaitMetrics } from './process-metrics.ts';

export type Metrics = ReturnType<typeof makeMetrics>;

/**
 * The Prometheus metrics of one process: of the process itself, of its account, and of the calls that it makes.
 *
 * @param role what the process does, such as `work`
 * @param look reads the account's figures; called once in some seconds, however many scrapers there are
 */
export function makeMetrics(given: {
  account: string;
  version: string;
  role: string;
  look: () => Promise<AccountPicture>;
}) {
  const { account, version, role, look } = given;
  const registry = new Registry();
  addProcessMetrics(registry, { version, role });
  const refresh = makeAccountGauges(registry, { account, look });
  return {
    /** Begins to count calls; once in a process. */
    countCalls: (): CallMetrics => makeCallMetrics(registry),
    /** Begins to count the service's events; once in a process. */
    countEvents: () => makeEventMetrics(registry),
    /** Begins to count the seconds in which calls are held back, by reason; returns a function that ends the counting. */
    countWaits: (now: { paceNow: () => PaceState; inFlight: () => number }) => startWaitMetrics(registry, now),
    /** All metrics in Prometheus' text format. Without Redis it does not reject; `limitline_redis_up` then shows that Redis is away. */
    async text(): Promise<string> {
      await refresh();
      return registry.metrics();
    },
  };
}

/** Counts events that came to this process; a dashboard adds up the processes. */
function makeEventMetrics(registry: Registry): { ended: (end: EventEnd) => void } {
  const events = new Counter({
    name: 'limitline_events_total',
    help: 'Events that came to this process, by what became of them.',
    labelNames: ['became'] as const,
    registers: [registry],
  });
  // Counters begin at 0, since one that begins with its first event would show no increase.
  for (const became of EVENT_ENDS) events.inc({ became }, 0);
  return { ended: (became) => events.inc({ became }) };
}
