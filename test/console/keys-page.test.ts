import { expect, test } from 'vitest';
import type { Role } from '../../src/people/person.ts';
import { openConsole, openDesk, plainText } from '../support/desk.ts';

// Promise: keys-of-own-pages
test.each<[Role, seen: string, hidden: RegExp]>([
  ['finance', 'g p Portfolios g n New portfolio', /g h|g q/],
  ['operator', 'g p Portfolios g h Rows that need an answer g q Queues', /g n/],
])('the list of keys shows a person with the role %s only pages that they may open', async (role, seen, hidden) => {
  const desk = await openDesk(0);
  const { get } = await openConsole(desk, { identify: async () => ({ by: 'ada', roles: [role] }) });
  const page = plainText((await get('/keys')).text).replace(/\s+/g, ' ');
  expect(page).toContain(seen);
  expect(page).not.toMatch(hidden);
});
