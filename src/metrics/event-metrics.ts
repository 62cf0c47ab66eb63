import { Counter, type Registry } from 'prom-client';
import { EVENT_ENDS, type EventEnd } from '../events/event-ends.ts';

/** What came to this process as events: counted here and nowhere else, so that a dashboard adds up the processes. */
export function makeEventMetrics(registry: Registry): { ended: (end: EventEnd) => void } {
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
