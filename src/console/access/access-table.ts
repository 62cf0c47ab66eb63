import type { Access } from './access.ts';
import { LOOKS as LOOKING, OWN_OR_OPERATOR } from './rules.ts';

const LOOKS = LOOKING.roles;

/**
 * Who may use which address; no other code decides it. The console does not start while a registered route has no entry
 * (add-access.ts). Pages show the actions that the table allows (`can`), and a test tries each route with each role.
 * An entry's name is a method and a route's pattern; `HEAD` counts as `GET`. A star at the end covers all longer addresses
 * without an entry of their own.
 */
export const UNDECLARED = {
  'GET /health/live': { open: true },
  'GET /health/ready': { open: true },
  'GET /metrics': { open: true },
  'GET /me': { signedIn: true },
  'POST /me/password': { signedIn: true },
  'POST /me/factor': { signedIn: true },
  'POST /me/factor/confirm': { signedIn: true },
  'POST /me/codes': { signedIn: true },
  'POST /me/sessions/end': { signedIn: true },
  'POST /me/sessions/:id/end': { signedIn: true },

  'GET /': { roles: LOOKS },
  'GET /newest/events': { roles: LOOKS },
  'GET /portfolios/:name': { roles: LOOKS },
  'GET /portfolios/:name/events': { roles: LOOKS },
  'GET /portfolios/:name/rows/:key': { roles: LOOKS },
  'GET /portfolios/:name/downloads/:file': { roles: ['finance', 'approver', 'operator'] },
  'POST /portfolios/:name/pause': { roles: ['operator'] },
  'POST /portfolios/:name/resume': { roles: ['operator'] },
  'POST /portfolios/:name/rows/:key/retry': OWN_OR_OPERATOR,
  'POST /portfolios/:name/rows/:key/resolve': { roles: ['operator'] },

  // Plans and their confirmation. People who may not make a plan may still see its progress.
  'GET /plans/new': {
    ...OWN_OR_OPERATOR,
    kinds: { retry: OWN_OR_OPERATOR, cancel: OWN_OR_OPERATOR, resend: { roles: ['operator'] } },
  },
  'GET /plans/:id': { roles: ['finance', 'approver', 'operator'] },
  'GET /plans/:id/events': { roles: ['finance', 'approver', 'operator'] },
  'POST /plans/:id/confirm': {
    ...OWN_OR_OPERATOR,
    kinds: { retry: OWN_OR_OPERATOR, cancel: OWN_OR_OPERATOR, resend: { roles: ['operator'] } },
  },

  // All of finance share the uploads. A replacing import cancels rows that others may have imported.
  'GET /new': { roles: ['finance'] },
  'GET /new/:id': { roles: ['finance'] },
  'GET /new/:id/events': { roles: ['finance'] },
  'GET /new/:id/file': { roles: ['finance'] },
  'GET /new/:id/import': { roles: ['finance'] },
  'GET /new/:id/import/events': { roles: ['finance'] },
  'POST /new/upload': { roles: ['finance'] },
  'POST /new/:id/reading': { roles: ['finance'] },
  'POST /new/:id/again': { roles: ['finance'] },
  'POST /new/:id/portfolio': { roles: ['finance'] },
  'POST /new/:id/remove': { roles: ['finance'] },
  'POST /new/:id/check': { roles: ['finance'] },
  'POST /new/:id/mend': { roles: ['finance'] },
  'POST /new/:id/submit': { roles: ['finance'], kinds: { replace: OWN_OR_OPERATOR } },

  'GET /approvals': { roles: LOOKS },
  'GET /approvals/:id': { roles: LOOKS },
  'POST /approvals/:id/approve': { roles: ['approver'] },
  'POST /approvals/:id/decline': { roles: ['approver'] },

  // All held calls with their bodies, for people who ask the service's staff about them.
  'GET /held': { roles: ['operator'] },
  'GET /held/text': { roles: ['operator'] },
  'GET /portfolios/:name/held': { roles: ['operator'] },
  'GET /portfolios/:name/held/text': { roles: ['operator'] },
  'POST /portfolios/:name/held/file': { roles: ['operator'] },
  'POST /portfolios/:name/held/confirm': { roles: ['operator'] },

  'POST /nightly/run/:task': { roles: ['operator'] },
  'POST /nightly/rules': { roles: ['operator'] },
  'POST /nightly/rules/:id/remove': { roles: ['operator'] },

  // The nightly tasks. The files of a report contain buyers' names, as results do.
  'GET /nightly': { roles: LOOKS },
  'GET /nightly/reports/:id': { roles: LOOKS },
  'GET /nightly/reports/:id/:file': { roles: ['finance', 'approver', 'operator'] },

  // An event of the service as it came, which may contain anything.
  'GET /service-events/:id': { roles: ['finance', 'approver', 'operator'] },

  'GET /work': { roles: ['operator'] },
  'GET /work/events': { roles: ['operator'] },
  'POST /work/retry': { roles: ['operator'] },
  'POST /work/:queue/pause': { roles: ['operator'] },
  'POST /work/:queue/resume': { roles: ['operator'] },

  // BullMQ's board. board/add-board.ts limits it to reading, and to sending a row again.
  'GET /queues': { roles: ['operator'] },
  'GET /queues/*': { roles: ['operator'] },
  'POST /queues/*': { roles: ['operator'] },
  'PUT /queues/*': { roles: ['operator'] },
  'PATCH /queues/*': { roles: ['operator'] },

  // Everybody may see whether calls are sent; addresses, versions and settings are for operators and admins.
  'GET /health': { roles: [...LOOKS, 'admin'], kinds: { system: { roles: ['operator', 'admin'] } } },
  'POST /health/workers/:process/quiet': { roles: ['operator'] },
  'POST /health/workers/:process/resume': { roles: ['operator'] },
  'GET /users': { roles: ['admin'] },
  'POST /users': { roles: ['admin'] },
  'GET /users/:user': { roles: ['admin'] },
  'GET /users/:user/remove': { roles: ['admin'] },
  'POST /users/:user/roles': { roles: ['admin'] },
  'POST /users/:user/password': { roles: ['admin'] },
  'POST /users/:user/factor': { roles: ['admin'] },
  'POST /users/:user/sessions': { roles: ['admin'] },
  'POST /users/:user/remove': { roles: ['admin'] },
} as const satisfies Readonly<Record<string, Access>>;
