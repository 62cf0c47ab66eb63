import diagnostics from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';

/**
 * Each route that a console registers while the answer is filled, libraries' among them: Fastify says so of its own accord.
 *
 * @param answer what each route says in place of its own, to those whom it lets in
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
