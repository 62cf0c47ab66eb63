import type { Context } from '../../src/context.ts';
import { serveMachines } from '../../src/metrics/serve-machines.ts';
import type { Service } from '../../src/open-service.ts';
import { openMachines } from './open-machines.ts';

/**
 * Health and figures of a process that only works, at METRICS_HOST and METRICS_PORT; nothing where no port is set.
 *
 * @returns the service to work with, who hears of rows that end, and what ends the serving
 */
export async function serveWork(context: Context, service: Service, isWorking: () => boolean) {
  const { METRICS_HOST: host, METRICS_PORT: port } = context.settings;
  if (port === undefined) return { service, onRowEnd: () => {}, close: async () => {} };
  const machines = openMachines(context, { role: 'work', isWorking });
  const { log } = context;
  const server = await serveMachines({ host, port, answer: machines.answer, log });
  log.info({ metrics: `${server.url}/metrics` }, 'health and metrics are served');
  return {
    ...machines.count(service),
    close: async (): Promise<void> => {
      machines.close();
      await server.close();
    },
  };
}
