import type { FastifyInstance, FastifyReply } from 'fastify';
import { messageOf } from '../errors.ts';
import { errorAnswer } from './answers.ts';
import type { Control } from './control.ts';

/**
 * The stand-in's own endpoints, no part of the service: `GET faults` (those in force, and how often each rule hit),
 * `POST faults` (a JSON object of the members to replace), `GET made` (what really happened), `POST reset` (all counts
 * at zero, faults as at the start). They answer to this machine alone, and are counted nowhere.
 */
export function addControlEndpoints(app: FastifyInstance, control: Control): void {
  const refuse = (reply: FastifyReply, status: number, message: string) =>
    reply.code(status).send(errorAnswer(status, 'refused', message).body);

  app.addHook('onRequest', async ({ socket }, reply) =>
    LOOPBACK.test(socket.remoteAddress ?? '') ? undefined : refuse(reply, 403, 'only for this machine'),
  );
  app.get('/faults', async () => control.faults());
  app.get('/made', async () => control.report());
  app.post('/faults', async ({ body }, reply) => {
    if (endsNever(body))
      return refuse(reply, 422, 'outage.forMs is needed: without it nothing could open the port again');
    try {
      control.setFaults(body);
    } catch (error) {
      return refuse(reply, 422, messageOf(error));
    }
    // A port that closes at once would cut this very answer off.
    reply.raw.once('close', control.followOutage);
    return control.faults();
  });
  app.post('/reset', async (_request, reply) => {
    control.reset();
    reply.raw.once('close', control.followOutage);
    return control.report();
  });
}

/** IPv4, IPv6, and the one written as the other. */
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;

function endsNever(change: unknown): boolean {
  const outage = Object(Object(change).outage);
  return outage.how === 'refuse' && outage.forMs === undefined;
}
