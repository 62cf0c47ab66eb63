import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Access, AccessTable, Right } from '../../../src/console/access/access.ts';
import { accessOf, can, isAllowed, ownMatters, rightsWord } from '../../../src/console/access/access.ts';
import { refusalWords } from '../../../src/console/access/add-access.ts';
import { addAction } from '../../../src/console/actions/add-action.ts';
import type { ConsoleApp } from '../../../src/console/console-app.ts';
import { addEvents } from '../../../src/console/events/add-events.ts';
import type { Hub } from '../../../src/console/events/hub.ts';
import { ACCESS, PLACES } from '../../../src/console/pages/index.ts';
import { mergedRules } from '../../../src/console/pages/page.ts';
import { ROLES } from '../../../src/people/person.ts';
import { openBareConsole } from '../../support/marked-console.ts';

type Pages = (app: ConsoleApp, hub: Hub) => void;

const GALLERY: AccessTable = { ...ACCESS, 'GET /gallery': { open: true }, 'POST /gallery/:name/heard': { open: true } };

const FORGOTTEN: [string, Pages][] = [
  ['GET /new-page', (app) => app.get('/new-page', async () => 'x')],
  ['DELETE /new-page', (app) => app.delete('/new-page', async () => 'x')],
  [
    'GET /new-page/events',
    (app, hub) => addEvents(app, hub, { url: '/new-page/events', key: () => '', frame: async () => [] }),
  ],
  ['POST /new-page', (app) => addAction(app, { url: '/new-page', action: 'pause', handle: () => 'x' })],
  [
    'PUT /room/page',
    (app) => void app.register(async (room) => room.put('/page', async () => 'x'), { prefix: '/room' }),
  ],
  ['POST /keys', (app) => app.post('/keys', async () => 'x')],
];

// Promise: undecided-route-stops
test.each(FORGOTTEN)(
  'a console with the undeclared route %s does not start, and the error names the route',
  async (name, pages) => {
    const message = expect.stringMatching(new RegExp(`^The route ${name} has no rule: no declaration`));
    await expect(openBareConsole({ table: GALLERY, pages })).rejects.toMatchObject({ message });
  },
);

test('a console does not start with a rule that depends on a portfolio which its route does not name', async () => {
  const table: AccessTable = { ...GALLERY, 'POST /all': { roles: ['operator'], own: ['finance'] } };
  const pages: Pages = (app) => addAction(app, { url: '/all', action: 'cancel', handle: () => 'x' });
  await expect(openBareConsole({ table, pages })).rejects.toThrow(/POST \/all depends on its portfolio/);
});

describe('the access decision', () => {
  const OWN = { roles: ['operator'], own: ['finance'], kinds: { resend: { roles: ['operator'] } } } as const;

  test.each([
    [{ open: true }, [], false, undefined, true],
    [{ signedIn: true }, [], false, undefined, true],
    [{ roles: ['viewer'] }, ['viewer'], false, undefined, true],
    [{ roles: ['viewer'] }, ['admin'], true, undefined, false],
    [OWN, ['finance'], false, undefined, false],
    [OWN, ['finance'], true, undefined, true],
    [OWN, ['finance'], true, 'resend', false],
    [OWN, ['operator'], false, 'resend', true],
    // A kind without a rule, also one named like a property of Object.
    [OWN, ROLES, true, 'other', false],
    [OWN, ROLES, true, 'toString', false],
    // A rule without roles admits nobody.
    [{}, ROLES, true, undefined, false],
  ] as const)('isAllowed(%j) for roles %j, owner %s, kind %s is %s', (access, roles, owns, kind, wanted) => {
    expect(isAllowed(access, { roles, owns }, kind)).toBe(wanted);
  });

  test('of several matching patterns the longest applies, and an exact address comes first', () => {
    const table: AccessTable = {
      'GET /a/*': { open: true },
      'GET /a/b/*': { roles: ['admin'] },
      'GET /a/b/c': { signedIn: true },
    };
    expect(accessOf(table, 'GET', '/a/x')).toEqual({ open: true });
    expect(accessOf(table, 'HEAD', '/a/b/x')).toEqual({ roles: ['admin'] });
    expect(accessOf(table, 'GET', '/a/b/c')).toEqual({ signedIn: true });
    expect(accessOf(table, 'POST', '/a/x')).toBeUndefined();
    expect(accessOf(table, 'GET', '/')).toBeUndefined();
    expect(accessOf(ACCESS, 'toString', '')).toBeUndefined();
  });

  test('ownership of a portfolio is looked up only for roles whose access depends on it', () => {
    const asked = ROLES.filter((role) => ownMatters(ACCESS, [role]));
    expect(asked).toEqual(['finance']);
    expect(ownMatters(ACCESS, ROLES)).toBe(false);
  });

  test('the role admin may use users, audit, health and statuses, and no portfolio', () => {
    const admin = { roles: ['admin'], owns: true, table: ACCESS, places: PLACES } as const;
    const may = (Object.keys(ACCESS) as Right[]).filter((right) => can(admin, right));
    const ofRoles = may.filter((right) => 'roles' in (ACCESS[right] ?? {}));
    expect(ofRoles.every((right) => /\/(users|audit|health|statuses)\b/.test(right))).toBe(true);
  });
});

test('every right that a page asks for exists in the access table', () => {
  const root = resolve(import.meta.dirname, '../../../src/console');
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const asked = sources.flatMap((file) => [
    ...readFileSync(join(root, file), 'utf8').matchAll(/'((?:GET|POST|PUT) \/[^']*)'/g),
  ]);
  expect(asked.length).toBeGreaterThan(30);
  expect(asked.map(([, right = '']) => right).filter((right) => !Object.hasOwn(ACCESS, right))).toEqual([]);
});

test('two rules for one address are an error', () => {
  expect(() => mergedRules([{ 'GET /a': { open: true } }, { 'GET /a': { roles: ['admin'] } }])).toThrow(
    /Two declarations say who may use GET \/a/,
  );
});

test('the key of a shared fragment differs exactly where roles or ownership make a difference', () => {
  expect(rightsWord({ roles: ['operator', 'admin'], owns: false })).toBe(
    rightsWord({ roles: ['admin', 'operator'], owns: false }),
  );
  expect(rightsWord({ roles: ['finance'], owns: true })).not.toBe(rightsWord({ roles: ['finance'], owns: false }));
  expect(rightsWord({ roles: [], owns: false })).toBe('');
});

test.each([
  [
    { roles: ['operator'] },
    undefined,
    ['viewer'],
    ['ada'],
    'This takes the role operator. You have the role viewer. Ask ada for it, who looks after the roles. Nothing was done.',
  ],
  [
    ACCESS['POST /plans/:id/confirm'],
    'retry',
    ['finance', 'admin'],
    [],
    'This takes the role operator, or the role finance and a portfolio into which nobody else imported. You have the roles finance and admin. Who has which role is set under Users. Nothing was done.',
  ],
  [
    ACCESS['POST /new/:id/submit'],
    'replace',
    [],
    ['a', 'b', 'c', 'd', 'e', 'f'],
    /^This takes the role finance; and besides the role operator, or .* You have no role\. Ask a, b, c, d or e for it/,
  ],
  [ACCESS['POST /plans/:id/confirm'], 'other', ['operator'], [], /^This takes .*\./],
  [
    ACCESS['GET /approvals'],
    undefined,
    ['admin'],
    ['me'],
    /You have the role admin\. Who has which role is set under Users\./,
  ],
] as const)('a refusal names the needed roles and whom to ask: %j', (access, kind, roles, admins, words) => {
  expect(refusalWords(access as Access, { kind, roles, admins })).toMatch(words);
});
