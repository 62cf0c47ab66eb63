import type { FastifyRequest } from 'fastify';

/** Whether the browser's module asks, which puts the answer into the page that is open (assets/script/dialogs.js). */
export function wantsFragment(request: FastifyRequest): boolean {
  return request.headers['x-fragment'] === '1';
}
