import { isLoopback } from '../../src/addresses.ts';
import type { Settings } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { KeepEvent } from '../../src/events/arrived-event.ts';
import { MAKE_SECRET } from '../../src/events/event-settings.ts';
import { makeEventListener } from '../../src/events/make-listener.ts';
import { serveMachines } from '../../src/metrics/serve-machines.ts';
import { openMachines } from '../machines/open-machines.ts';

const KB = 1_024;

type WhereEvents = { port: number; secret: string };

/** @throws LimitlineError `SETTINGS` where no port for events is set */
export function whereEvents({ EVENTS_PORT: port, EVENTS_SECRET: secret }: Settings): WhereEvents {
  // Settings with only one of the two are refused earlier.
  if (port !== undefined && secret !== undefined) return { port, secret };
  const message = `EVENTS_PORT is not set, so no events are listened for: set it, such as to 4400, and EVENTS_SECRET; ${MAKE_SECRET}.`;
  throw new LimitlineError('SETTINGS', message);
}

/**
 * Listens for the service's events, and serves health and metrics at METRICS_PORT if set.
 *
 * @param keep stores an event
 * @throws LimitlineError `USAGE` where a port is taken
 */
export async function openListener(
  context: Context,
  { port, secret }: WhereEvents,
  keep: KeepEvent,
): Promise<{ url: string; close: () => Promise<void> }> {
  const { settings, log } = context;
  let isListening = false;
  const machines = openMachines(context, {
    role: 'events',
    isWorking: () => isListening,
    idle: 'This process listens for no events now.',
  });
  const listener = makeEventListener({
    host: settings.EVENTS_HOST,
    port,
    secret,
    maxBytes: settings.EVENTS_MAX_KB * KB,
    perSecond: settings.EVENTS_PER_SECOND,
    keep,
    onEnd: machines.metrics.countEvents().ended,
    log,
  });
  const { METRICS_HOST: host, METRICS_PORT: metricsPort } = settings;
  const server =
    metricsPort === undefined
      ? undefined
      : await serveMachines({ host, port: metricsPort, answer: machines.answer, log });
  if (server) log.info({ metrics: `${server.url}/metrics` }, 'health and metrics are served');
  const close = async (): Promise<void> => {
    isListening = false;
    void context.fleet.leave();
    await listener.close();
    await server?.close();
  };
  try {
    await listener.listen();
  } catch (error) {
    await close();
    throw error;
  }
  isListening = true;
  void context.fleet.join('events');
  if (!isLoopback(settings.EVENTS_HOST)) log.warn(IN_THE_CLEAR);
  return { url: listener.url(), close };
}

/**
 * The warning that events come unencrypted. The command is not refused, because the network to a proxy on another machine may be protected
 * in other ways.
 */
const IN_THE_CLEAR =
  'EVENTS_HOST is an address that other machines reach, and what comes there is not encrypted, the secret neither: put a proxy with TLS in front (docs/events.md).';
