import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { can, type Right } from '../../src/console/access/access.ts';
import { ACCESS } from '../../src/console/pages/index.ts';
import { ROLES, type Role } from '../../src/people/person.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/people.md'), 'utf8');

/** The rights that each line of the table in the document is about, in its order. */
const SPEAKS_OF: readonly (readonly [right: Right, kind?: string])[][] = [
  [['GET /'], ['GET /portfolios/:name'], ['GET /portfolios/:name/rows/:key'], ['GET /portfolios/:name/events']],
  [['GET /health']],
  [['GET /health', 'system']],
  [['GET /new'], ['POST /new/upload'], ['POST /new/:id/mend'], ['POST /new/:id/submit'], ['GET /new/:id/file']],
  [['POST /new/:id/submit', 'replace']],
  [['GET /portfolios/:name/downloads/:file']],
  [
    ['POST /plans/:id/confirm', 'retry'],
    ['POST /plans/:id/confirm', 'cancel'],
    ['POST /portfolios/:name/rows/:key/retry'],
  ],
  [['GET /plans/:id'], ['GET /plans/:id/events']],
  [
    ['POST /portfolios/:name/pause'],
    ['POST /portfolios/:name/resume', 'by request'],
    ['POST /portfolios/:name/resume', 'not ours'],
  ],
  [
    ['POST /portfolios/:name/resume', 'first rows'],
    ['POST /portfolios/:name/resume', 'refused alike'],
  ],
  [['GET /held'], ['POST /portfolios/:name/held/confirm'], ['POST /plans/:id/confirm', 'resend']],
  [['POST /work/:queue/pause'], ['POST /work/retry'], ['GET /queues'], ['PUT /queues/*']],
  [['GET /approvals'], ['GET /approvals/:id']],
  [['POST /approvals/:id/approve'], ['POST /approvals/:id/decline']],
  [['POST /nightly/run/:task']],
  [['GET /statuses']],
  [['POST /portfolios/:name/decisions'], ['POST /portfolios/:name/decisions/take']],
  [['POST /statuses']],
  [['POST /nightly/rules'], ['POST /nightly/rules/:id/remove']],
  [['GET /nightly'], ['GET /nightly/reports/:id']],
  [['GET /nightly/reports/:id/:file']],
  [['GET /service-events/:id']],
  [['GET /users'], ['POST /users'], ['POST /users/:user/roles'], ['POST /users/:user/sessions']],
  [['GET /audit'], ['GET /audit/export']],
  [['GET /me'], ['POST /me/password'], ['POST /me/sessions/:id/end']],
];

const RULES = { table: ACCESS, places: [] };

function cellOf(right: Right, role: Role, kind?: string): string {
  if (can({ roles: [role], owns: false, ...RULES }, right, kind)) return 'yes';
  return can({ roles: [role], owns: true, ...RULES }, right, kind) ? 'own' : '';
}

// Promise: roles-say-what-one-may
test('the table of roles in docs/people.md agrees with the rights of the console', () => {
  const [, , ...lines] = text.split('\n').filter((line) => line.startsWith('|'));
  expect(lines).toHaveLength(SPEAKS_OF.length);
  for (const [place, rights] of SPEAKS_OF.entries()) {
    const [, what, ...cells] = (lines[place] ?? '').split('|').map((cell) => cell.trim());
    for (const [right, kind] of rights) {
      const said = ROLES.map((_, at) => (cells[at] === 'masked' ? 'yes' : cells[at]));
      expect([what, right, ...said]).toEqual([what, right, ...ROLES.map((role) => cellOf(right, role, kind))]);
    }
  }
  expect(Object.keys(ACCESS).length).toBeGreaterThan(SPEAKS_OF.length);
});
