import diagnostics from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';

/**
 * Each route that a console registers while `open` runs, including those of libraries, as Fastify reports them.
 *
 * @param answer the answer of each route in place of its own, for requests that it accepts
 */
export async function withAllRoutes<T>(
  open: () => Promise<T>,
  answer?: string,
): Promise<{ opened: T; routes: string[] }> {
  const routes: string[] = [];
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', (route) => {
      for (const one of [route.method].flat()) routes.push(`${one} ${route.url}`);
      if (answer !== undefined) route.handler = async () => answer;
    });
  };
  diagnostics.subscribe('fastify.initialization', watch);
  try {
    const opened = await open();
    return { opened, routes: [...new Set(routes)] };
  } finally {
    diagnostics.unsubscribe('fastify.initialization', watch);
  }
}
