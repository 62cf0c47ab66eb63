import { expect, test } from 'vitest';
import { openConsole, openDesk } from '../../support/desk.ts';

const PROVIDER = {
  APPROVE_ALWAYS: 'on',
  CONSOLE_OIDC_ISSUER: 'http://127.0.0.1:1',
  CONSOLE_OIDC_CLIENT_ID: 'limitline',
};

test.each([
  ['heads=approver+viewer, chiefs=approver', true],
  ['finance team=finance', false],
])('without users, the list and the import say who may approve by CONSOLE_OIDC_ROLES=%s', async (roles, someMay) => {
  const desk = await openDesk(3, {}, { ...PROVIDER, CONSOLE_OIDC_ROLES: roles });
  const who = { by: 'hana@example.com (sso 4f6d2a)', roles: ['approver' as const] };
  const { get } = await openConsole(desk, { identify: async () => who });
  const { stderr } = await desk.limitline('import', 'q4.csv', '--yes');
  const { text } = await get('/approvals');
  expect(text).toContain('1 waits, oldest first');
  expect(text.includes('Nobody can approve yet.')).toBe(!someMay);
  expect(stderr.includes('There is no other person who may approve yet.')).toBe(!someMay);
  const named = 'Who may approve: people of the identity provider in one of these groups: heads, chiefs.';
  expect(stderr.includes(named)).toBe(someMay);
});
