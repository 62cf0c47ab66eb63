import { expect, test } from 'vitest';
import type { Role } from '../../../src/people/person.ts';
import { openConsole, openDesk, plainText, uploadTo } from '../../support/desk.ts';

// Promise: uploads-not-submitted-said
test('the first page shows the number of unsubmitted uploads to people who may upload', async () => {
  const desk = await openDesk(0);
  const now = { role: 'finance' as Role };
  const web = await openConsole(desk, { identify: async () => ({ by: 'fin', roles: [now.role] }) });
  const page = async () => plainText((await web.get('/')).text);
  expect(await page()).not.toContain('not submitted');
  await uploadTo(web, ['file', 'q9.csv', 'name,requested_limit\nAlder GmbH,1000\n']);
  expect(await page()).toMatch(/1 upload is not submitted yet ?: nothing is requested of it before that\./);
  now.role = 'viewer';
  expect(await page()).not.toContain('not submitted');
});
