import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { CallKind } from '../call-kind.ts';
import type { FaultRule, Faults } from './fault-settings.ts';
import type { MadeRecord, RequestKind } from './record.ts';
import { type Checked, errorAnswer, type StandInAnswer } from './resource-endpoints.ts';

/** The word that is recorded in place of a status when the client has closed the connection. */
const CLIENT_GONE = 'client gone';

export type Serve = ReturnType<typeof makeServe>;

/** Sends the answers of the service that the stand-in plays, and records each before it is sent. Its control endpoints answer without this. */
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
    serve(kind: CallKind | 'session' | 'token', checked: Checked, sent: unknown, reply: FastifyReply): void {
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

/**
 * What a request gets when a rule applies: another answer, or a fault on its socket. `make` makes the requested object.
 * It is called only if the rule says that the object is made.
 */
function answerByRule(rule: FaultRule, make: () => StandInAnswer): StandInAnswer | Play {
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

/** Ends or keeps a request without an HTTP answer. The response must not have been started. */
function giveNoAnswer(rule: RuleOf<'reset' | 'silence' | 'not-http'>, { socket }: ServerResponse): void {
  switch (rule.fault) {
    case 'silence':
      return;
    case 'not-http':
      socket?.end('This is no HTTP.\r\n\r\n');
      return;
    case 'reset':
      if (rule.by === 'fin') socket?.destroy();
      else socket?.resetAndDestroy();
  }
}

/** Sends correct headers, and a body that is slow, broken or incomplete. */
function answerBadly(rule: RuleOf<'slow' | 'broken'>, { status, body }: StandInAnswer, response: ServerResponse): void {
  const whole = Buffer.from(JSON.stringify(body));
  const half = whole.subarray(0, whole.length >> 1);
  const begin = (sizeBytes: number) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': sizeBytes });
    response.flushHeaders();
  };
  if (rule.fault === 'slow') {
    begin(whole.length);
    if (rule.bytesPerS === 0) response.write(half);
    else dribble(response, whole, rule.bytesPerS);
  } else if (rule.body === 'cut') {
    begin(whole.length);
    response.write(half, () => response.socket?.destroy());
  } else {
    const sent = { 'not-json': Buffer.from('<html>Fine.</html>'), 'half-json': half, empty: Buffer.alloc(0) }[
      rule.body
    ];
    begin(sent.length);
    response.end(sent);
  }
}

/** A fault that needs the socket itself, applied to a response before its first byte. */
type Play = (response: ServerResponse) => void;

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

/** Interval in ms at which the pieces of a slow body are sent: no pause is as long as a client's timeout for silence. */
const DRIBBLE_EVERY_MS = 20;

function dribble(response: ServerResponse, body: Buffer, bytesPerS: number): void {
  const startedMs = performance.now();
  let sentBytes = 0;
  const timer = setInterval(() => {
    const elapsedS = (performance.now() - startedMs) / 1_000;
    const dueBytes = Math.min(body.length, Math.floor(elapsedS * bytesPerS));
    response.write(body.subarray(sentBytes, dueBytes));
    sentBytes = dueBytes;
    if (sentBytes === body.length) response.end();
  }, DRIBBLE_EVERY_MS);
  response.once('close', () => clearInterval(timer));
}
