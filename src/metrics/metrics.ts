import { Counter, Registry } from '@prometheus-io/client';
import { EVENT_ENDS, type EventEnd } from '../events/event-ends.ts';
import type { PaceState } from '../pace/pace-state.ts';
import { type AccountPicture, makeAccountGauges } from './account-gauges.ts';
import { addProcessMetrics, type CallMetrics, makeCallMetrics, startWaitMetrics } from './process-metrics.ts';

export type Metrics = ReturnType<typeof makeMetrics>;

/**
 * What one process exports to Prometheus: figures of the process itself, of its account, and of the calls that it makes where
 * it makes any.
 *
 * @param role what the process does, such as `work`
 * @param look what the account looks like now; asked once in some seconds, however many scrape
 */
export function makeMetrics({
  account,
  version,
  role,
  look,
}: {
  account: string;
  version: string;
  role: string;
  look: () => Promise<AccountPicture>;
}) {
  const registry = new Registry();
  addProcessMetrics(registry, { version, role });
  const refresh = makeAccountGauges(registry, { account, look });
  return {
    /** Begins to count calls: once in a process. */
    countCalls: (): CallMetrics => makeCallMetrics(registry),
    /** Begins to count the service's events: once in a process. */
    countEvents: () => makeEventMetrics(registry),
    /** Begins to count what holds calls back; answers what ends it. */
    countWaits: (now: { paceNow: () => PaceState; inFlight: () => number }) => startWaitMetrics(registry, now),
    /** All figures in Prometheus' text format. Never rejects for Redis: `limitline_redis_up` says it. */
    async text(): Promise<string> {
      await refresh();
      return registry.metrics();
    },
  };
}

/** What came to this process as events: counted here and nowhere else, so that a dashboard adds up the processes. */
function makeEventMetrics(registry: Registry): { ended: (end: EventEnd) => void } {
  const events = new Counter({
    name: 'limitline_events_total',
    help: 'Events that came to this process, by what became of them.',
    labelNames: ['became'] as const,
    registers: [registry],
  });
  // A counter that comes into being with its first event shows no increase at it.
  for (const became of EVENT_ENDS) events.inc({ became }, 0);
  return { ended: (became) => events.inc({ became }) };
}
