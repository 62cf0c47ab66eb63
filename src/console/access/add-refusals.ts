import type { Audit } from '../../audit/audit.ts';
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { ConsoleApp } from '../console-app.ts';

/**
 * Writes each refusal of somebody who is known into the audit, whatever refused it: the table, a token of an old page, the
 * board. By method and pattern: names of portfolios and what somebody looked for stand in the address itself.
 *
 * Who is not known is led to the sign-in, which is no refusal; and what the guard turns away (server/guard.ts) was never looked
 * at: else anybody could fill the audit.
 */
export function addRefusals(app: ConsoleApp, { audit, log }: { audit: Audit; log: Log }): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const { person, method, routeOptions, id } = request;
    if (reply.statusCode !== FORBIDDEN || person.by === '') return payload;
    const facts = { method, route: routeOptions.url ?? 'none', roles: person.roles.join(' ') };
    // It is refused all the same where that cannot be written down.
    await audit
      .note({ by: person.by, what: 'request refused', from: request.ip, facts })
      .catch((error: unknown) => log.error({ request: id, reason: messageOf(error) }, 'a refusal is not in the audit'));
    return payload;
  });
}

const FORBIDDEN = 403;
