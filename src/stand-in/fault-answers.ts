import type { ServerResponse } from 'node:http';
import { errorAnswer, type StandInAnswer } from './answers.ts';
import type { FaultRule } from './fault-settings.ts';
import { answerBadly, giveNoAnswer } from './socket-faults.ts';

/** A fault that needs the socket itself, applied to a response before its first byte. */
type Play = (response: ServerResponse) => void;

/**
 * What a request gets when a rule applies: another answer, or a fault on its socket. `make` makes the requested object.
 * It is called only if the rule says that the object is made.
 */
export function answerByRule(rule: FaultRule, make: () => StandInAnswer): StandInAnswer | Play {
  switch (rule.fault) {
    case 'status':
      return answerWithStatus(rule, rule.made ? make() : undefined);
    case 'answer': {
      const { status, body } = make();
      return { status: rule.status ?? status, body: withFields(body, rule) };
    }
    case 'decision': {
      const { status, body } = make();
      return { status, body: decided(body, rule) };
    }
    case 'slow':
    case 'broken': {
      const answer = make();
      return (response) => answerBadly(rule, answer, response);
    }
    case 'reset':
    case 'silence':
    case 'not-http':
      if (rule.made) make();
      return (response) => giveNoAnswer(rule, response);
  }
}

type RuleOf<F extends FaultRule['fault']> = Extract<FaultRule, { fault: F }>;

/** A success has the made object as its body, any other status an error; a body in the rule overrides both. */
function answerWithStatus({ status, headers, body }: RuleOf<'status'>, made: StandInAnswer | undefined): StandInAnswer {
  const usual = made && status < 300 ? made : errorAnswer(status, 'fault', `status ${status} on demand`);
  return { status, headers, body: body ?? usual.body };
}

function withFields(body: unknown, { set, drop }: RuleOf<'answer'>): unknown {
  const fields = Object.entries({ ...Object(body), ...set });
  return Object.fromEntries(fields.filter(([name]) => !drop.includes(name)));
}

function decided(body: unknown, { status, share }: RuleOf<'decision'>): unknown {
  const resource = Object(body);
  const granted = Math.round(resource.requested_limit * share * 100) / 100;
  return { ...resource, status, total_limit: granted, available_limit: granted };
}
