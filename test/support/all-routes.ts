import diagnostics from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';

/** Each route that a console registers while the answer is filled, libraries' among them: Fastify says so of its own accord. */
export async function withAllRoutes<T>(open: () => Promise<T>): Promise<{ opened: T; routes: string[] }> {
  const routes: string[] = [];
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) routes.push(`${one} ${url}`);
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
