import type { FastifyReply } from 'fastify';
import type { CallKind } from '../call-kind.ts';
import type { Checked, StandInAnswer } from './answers.ts';
import { answerByRule } from './fault-answers.ts';
import type { FaultRule } from './fault-settings.ts';
import type { Faults } from './faults.ts';
import type { MadeRecord, RequestKind } from './record.ts';

/** Recorded instead of a status when the client has closed the connection. */
const CLIENT_GONE = 'client gone';

export type Serve = ReturnType<typeof makeServe>;

/** Sends all answers, and records each before it is sent. */
export function makeServe({ faults, record }: { faults: Faults; record: MadeRecord }) {
  const send = (kind: RequestKind, reply: FastifyReply, { status, headers, body }: StandInAnswer): void => {
    record.answered(kind, reply.raw.destroyed ? CLIENT_GONE : status);
    if (headers) reply.headers(headers);
    reply.code(status).send(body);
  };
  const misbehave = (kind: RequestKind, reply: FastifyReply, rule: FaultRule, make: () => StandInAnswer): void => {
    const instead = answerByRule(rule, make);
    if (typeof instead !== 'function') {
      send(kind, reply, instead);
    } else {
      record.answered(kind, rule.fault);
      instead(reply.hijack().raw);
    }
  };

  return {
    send,

    /**
     * Makes the requested object and answers, after the current delay and with the fault that applies. A refusal is
     * sent at once, because faults are for requests that would succeed.
     */
    serve(kind: CallKind | 'token', checked: Checked, sent: unknown, reply: FastifyReply): void {
      if ('refusal' in checked) {
        send(kind, reply, checked.refusal);
        return;
      }
      const rule = faults.pick(kind, () => JSON.stringify(sent));
      const answer = () => {
        if (rule) misbehave(kind, reply, rule, checked.make);
        else send(kind, reply, checked.make());
      };
      const latencyMs = faults.latencyMs();
      // `unref`, because a waiting client's open connection keeps the process alive anyway.
      if (latencyMs > 0) setTimeout(answer, latencyMs).unref();
      else answer();
    },
  };
}
