import { type Access, isAllowed, type Rights } from './access.ts';

/** Who works with portfolios at all. An admin looks after people and the installation, and is none of these by that. */
const LOOKS = ['viewer', 'finance', 'approver', 'operator'] as const;

/** One's own, or as an operator that of all: a portfolio is one's own as long as nobody else imported into it. */
const OWN_OR_OPERATOR = { roles: ['operator'], own: ['finance'] } as const;

/**
 * Who may use which address: the only place that says so. A route that is registered without an entry keeps the console from
 * starting (add-access.ts), pages show what it lets a person do (`can`), and a test walks each route with each role.
 *
 * The name of an entry is a method and the pattern of the address; `HEAD` goes with `GET`, and a star at the end stands for
 * whatever begins so and has no entry of its own.
 */
export const ACCESS = {
  // For everybody, known or not: what pages are made of, and what machines ask by a rule of their own (pages/machines).
  'GET /assets/*': { open: true },
  'GET /health/live': { open: true },
  'GET /health/ready': { open: true },
  'GET /metrics': { open: true },

  // The way in and out, for whoever is not known yet. Its pages look at what they are owed by themselves.
  'GET /sign-in': { open: true },
  'POST /sign-in': { open: true },
  'GET /sign-in/code': { open: true },
  'POST /sign-in/code': { open: true },
  'GET /sign-in/factor': { open: true },
  'POST /sign-in/factor': { open: true },
  'GET /sign-in/password': { open: true },
  'POST /sign-in/password': { open: true },
  'GET /sign-in/oidc': { open: true },
  'GET /sign-in/oidc/callback': { open: true },
  'GET /sign-in/oidc/out': { open: true },
  'POST /sign-out': { open: true },

  // For everybody who is known: the strip, the keyboard, and what is one's own.
  'GET /events': { signedIn: true },
  'GET /keys': { signedIn: true },
  'GET /me': { signedIn: true },
  'POST /me/password': { signedIn: true },
  'POST /me/factor': { signedIn: true },
  'POST /me/factor/confirm': { signedIn: true },
  'POST /me/codes': { signedIn: true },
  'POST /me/sessions/end': { signedIn: true },
  'POST /me/sessions/:id/end': { signedIn: true },

  'GET /': { roles: LOOKS },
  'GET /newest/events': { roles: LOOKS },
  'GET /archived': { roles: LOOKS },
  'GET /portfolios/:name': { roles: LOOKS },
  'GET /portfolios/:name/events': { roles: LOOKS },
  'GET /portfolios/:name/rows/:key': { roles: LOOKS },
  'GET /portfolios/:name/downloads/:file': { roles: ['finance', 'approver', 'operator'] },
  'POST /portfolios/:name/pause': { roles: ['operator'] },
  'POST /portfolios/:name/resume': { roles: ['operator'] },
  'POST /portfolios/:name/rows/:key/retry': OWN_OR_OPERATOR,
  'POST /portfolios/:name/rows/:key/resolve': { roles: ['operator'] },

  // What would be done, and the yes to it. To look at a plan that is carried out, nobody need be able to make one.
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

  // Uploads are on one desk for all of the finance team. One that replaces gives up rows that others may have imported.
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

  // All that is held, with what was sent: for those who ask the service's people about it.
  'GET /held': { roles: ['operator'] },
  'GET /held/text': { roles: ['operator'] },
  'GET /portfolios/:name/held': { roles: ['operator'] },
  'GET /portfolios/:name/held/text': { roles: ['operator'] },
  'POST /portfolios/:name/held/file': { roles: ['operator'] },
  'POST /portfolios/:name/held/confirm': { roles: ['operator'] },

  'POST /nightly/run/:task': { roles: ['operator'] },
  'POST /nightly/rules': { roles: ['operator'] },
  'POST /nightly/rules/:id/remove': { roles: ['operator'] },

  // What is done at night. What a report takes away as a file has names of buyers in it, as results have.
  'GET /nightly': { roles: LOOKS },
  'GET /nightly/reports/:id': { roles: LOOKS },
  'GET /nightly/reports/:id/:file': { roles: ['finance', 'approver', 'operator'] },

  // An event of the service as it came: it may hold whatever the service knows.
  'GET /service-events/:id': { roles: ['finance', 'approver', 'operator'] },

  'GET /work': { roles: ['operator'] },
  'GET /work/events': { roles: ['operator'] },
  'POST /work/retry': { roles: ['operator'] },
  'POST /work/:queue/pause': { roles: ['operator'] },
  'POST /work/:queue/resume': { roles: ['operator'] },

  // BullMQ's board. What it may do at all is in board/add-board.ts: look, and send one row again.
  'GET /queues': { roles: ['operator'] },
  'GET /queues/*': { roles: ['operator'] },
  'POST /queues/*': { roles: ['operator'] },
  'PUT /queues/*': { roles: ['operator'] },
  'PATCH /queues/*': { roles: ['operator'] },

  // How the line stands is for all; addresses, versions and settings are for those who look after the system.
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
  'GET /audit': { roles: ['admin'] },
  'GET /audit/export': { roles: ['admin'] },
} as const satisfies Readonly<Record<string, Access>>;

/** The name of an entry: what pages ask {@link import('./can.ts').can} about. */
export type Right = keyof typeof ACCESS;

/**
 * Whether somebody may do what this address is for: what pages ask before they show a button or a link, by the same table
 * that the request is held against. What nobody may is not shown; the command that does the same may stay.
 *
 * @param rights `request.rights`, in which it is known whether the portfolio that the address names is one's own
 * @param kind where the table tells kinds apart
 */
export function can(rights: Rights, right: Right, kind?: string): boolean {
  const access: Access = ACCESS[right];
  return isAllowed(access, rights, kind);
}

/**
 * Rights as a word: what comes by events is made once for all pages of one address and one such word, so all that a piece
 * differs by for different people must be in it.
 */
export function rightsWord({ roles, owns }: Rights): string {
  return `${[...roles].sort().join('+')}${owns ? ' own' : ''}`;
}
