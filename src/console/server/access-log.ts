import type { FastifyInstance } from 'fastify';
import type { Log } from '../../log.ts';

/**
 * Says in the log what was asked for, by the pattern of its address and never by the address: names of portfolios, keys of
 * rows and what somebody looked for stand in that. What changes something is said at `info`, what only reads at `debug`.
 */
export function addAccessLog(app: FastifyInstance, log: Log): void {
  app.addHook('onResponse', async (request, reply) => {
    const { id, method, routeOptions } = request;
    const { action } = routeOptions.config;
    const facts = {
      request: id,
      method,
      route: routeOptions.url ?? 'none',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ...(action === undefined ? {} : { action }),
    };
    if (action !== undefined) log.info(facts, 'an action was asked for');
    else log.debug(facts, 'a page was asked for');
  });
}
