import type { Audit } from '../../audit/audit.ts';
import type { ConsoleApp } from '../console-app.ts';

/**
 * Writes each refusal of somebody who is known into the audit, whatever refused it: the table, a token of an old page, the
 * board. By method and pattern: names of portfolios and what somebody looked for stand in the address itself.
 *
 * Who is not known is led to the sign-in, which is no refusal; and what the guard turns away (server/guard.ts) was never looked
 * at: else anybody could fill the audit.
 */
export function addRefusals(app: ConsoleApp, { audit }: { audit: Audit }): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const { person, method, routeOptions } = request;
    if (reply.statusCode !== FORBIDDEN || person.by === '') return payload;
    const facts = { method, route: routeOptions.url ?? 'none', roles: person.roles.join(' ') };
    await audit.refusal({ by: person.by, what: 'request refused', from: request.ip, facts });
    return payload;
  });
}

const FORBIDDEN = 403;
