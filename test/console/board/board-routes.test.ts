import { appRoutes } from '@bull-board/api/dist/routes.js';
import { expect, test } from 'vitest';
import { DECIDED_ROUTES, mayOnBoard } from '../../../src/console/board/add-board.ts';

const ROUTES = appRoutes.api.flatMap(({ method, route }) =>
  [method].flat().flatMap((one) => [route].flat().map((address) => ({ method: one, route: address }))),
);

test('every route of the board was decided about, and none that there is no more', () => {
  const there = ROUTES.map(({ method, route }) => `${method} ${route}`);
  expect(there.length).toBeGreaterThan(30);
  expect(there.sort()).toEqual([...DECIDED_ROUTES].sort());
});

// Promise: board-sends-single-row
test('of all that changes something, sending a single row again may be done and nothing else', () => {
  const changing = ROUTES.filter(({ method }) => method !== 'get');
  const allowed = changing.filter(({ method, route }) => mayOnBoard(method, route) === true);
  expect(allowed).toEqual([{ method: 'put', route: '/api/queues/:queueName/:jobId/retry' }]);
});

test('a route that comes with an update is denied, whatever it is called', () => {
  for (const name of ['/api/queues/:queueName/new', '/api/toString', '__proto__']) {
    expect(mayOnBoard('get', name)).toMatch(/decided/);
  }
  expect(mayOnBoard('DELETE', '/api/queues')).toMatch(/decided/);
});
