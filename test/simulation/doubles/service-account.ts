import { text as textOf } from 'node:stream/consumers';
import type { CallKind } from '../../../src/call-kind.ts';
import { SERVICE_PATHS } from '../../../src/service/paths.ts';
import type { Post, Reply } from '../../../src/service/send.ts';
import { here, type Process, pass, type Shared } from '../run/process.ts';
import { hash32 } from '../run/random.ts';
import type { Answer, Schedule } from '../run/schedule.ts';

/** A thing that the service made: its kind, its name, and its sender. */
export type MadeThing = {
  kind: CallKind;
  what: string;
  id: string;
  by: string;
  body: Record<string, unknown>;
  key?: string | undefined;
};

/** The idempotency header that the service honours: a call whose key made something is answered with that. */
export const KEY_HEADER = 'idempotency-key';

/** A call that arrived at the service, and what became of it. */
export type Arrival = {
  kind: CallKind;
  what: string;
  nth: number;
  by: string;
  body: Record<string, unknown>;
  /** Its idempotency key, if it has one. */
  key: string | undefined;
  atMs: number;
  answer: Answer;
  /** The sender, whose state shows whether it lives. */
  sender: Process;
  /** Whether the sender has received the answer. */
  isHeard: boolean;
};

export type ServiceAccount = ReturnType<typeof makeServiceAccount>;

type Arrived = { arrival: Arrival; thing: MadeThing | undefined };

/** Less than the time limit of a call (`SERVICE_TIMEOUT_MS`), and longer than any claim counts as fresh. */
const LATE_MS = 7_000;

/** Longer than any run. */
const TOKEN_LIFETIME_S = 86_400;

const MAKES = new Set<Answer>([
  'made',
  '500, made',
  'broken off, made',
  'not ours',
  'late, made',
  'too late, made',
  'never, made',
]);

/** Answers that the service does not give to a call whose key made something. */
const CONTRADICTS = new Set<Answer>(['refused', 'too late, refused', 'not ours', 'the id of another']);

/** The service of one run, in memory: it answers as the schedule says, and remembers what it really made. */
export function makeServiceAccount(given: {
  shared: Shared;
  schedule: Schedule;
  standStill: (process: Process) => void;
  /** Called for each call that is about to make something; it may throw, because the call breaks a promise. */
  onArrival: (call: Arrival, earlier: readonly Arrival[]) => void | Promise<void>;
  /**
   * Returns whether the ledger knows the call that made this id. Until then, nobody can tell that the id belongs to
   * another request.
   */
  knows: (id: string) => Promise<boolean>;
}) {
  const { shared, schedule, onArrival, knows, standStill } = given;
  const made: MadeThing[] = [];
  const arrivals: Arrival[] = [];
  const counts = new Map<string, number>();

  const make = (arrival: Arrival): MadeThing => {
    const { kind, what, body, by, nth, key } = arrival;
    const thing = {
      kind,
      what,
      by,
      body,
      key,
      id: `${PREFIX_OF[kind]}${hash32(`${kind} ${what} ${nth}`).toString(36)}`,
    };
    made.push(thing);
    return thing;
  };

  /** The call arrives: it makes its thing, and an answer is on its way. */
  const arrive = async (
    kind: CallKind,
    body: Record<string, unknown>,
    { sender, key }: { sender: Process; key: string | undefined },
  ): Promise<Arrived> => {
    const what = nameOf(kind, body);
    const nth = (counts.get(`${kind} ${what}`) ?? 0) + 1;
    counts.set(`${kind} ${what}`, nth);
    const same = key === undefined ? undefined : made.find((one) => one.key === key);
    const scheduled = schedule.answers[callName({ kind, what, nth })] ?? 'made';
    const answer = same && CONTRADICTS.has(scheduled) ? 'made' : scheduled;
    const earlier = arrivals.filter((one) => one.kind === kind && one.what === what);
    const arrival = { kind, what, nth, by: sender.name, body, key, atMs: shared.nowMs, answer, sender, isHeard: false };
    arrivals.push(arrival);
    await onArrival(arrival, earlier);
    if (answer !== 'the id of another')
      return { arrival, thing: MAKES.has(answer) ? (same ?? make(arrival)) : undefined };
    const others = made.filter((one) => one.kind === 'limit' && kind === 'limit' && one.what !== what);
    const known = await Promise.all(others.map(({ id }) => knows(id)));
    const other = others.find((_one, place) => known[place]);
    return { arrival, thing: other && { ...other, what, body } };
  };

  const replyTo = async (answer: Answer, thing: MadeThing | undefined, timeoutMs: number): Promise<Reply> => {
    switch (answer) {
      case 'refused':
      case 'too late, refused':
        return said(422, { error: 'the limit is above what is possible' });
      case 'throttled':
        return { ...said(429, { error: 'too fast' }), headers: { 'retry-after': '1' } } as Reply;
      case '401':
        return said(401, { error: 'who is that' });
      case '500, made':
      case '500, not made':
      case 'too late, 500':
        return said(500, { error: 'something broke' });
      case 'unreachable':
        return { is: 'silence', sent: false, error: new Error('connect ECONNREFUSED') };
      case 'broken off, made':
        return { is: 'silence', sent: true, error: new Error('other side closed') };
      case 'never, made':
      case 'never, not made':
        await new Promise((resolve) => setTimeout(resolve, timeoutMs));
        return { is: 'silence', sent: true, error: new Error(`no whole answer within ${timeoutMs} ms`) };
      case 'late, made':
        await new Promise((resolve) => setTimeout(resolve, LATE_MS));
        return thing ? said(201, resourceOf(thing)) : said(500, {});
      case 'not ours':
        return thing ? said(201, { ...resourceOf(thing), requested_limit: 1 }) : said(500, {});
      default:
        return thing ? said(201, resourceOf(thing)) : said(500, {});
    }
  };

  return {
    made,
    arrivals,
    /** How often each call came: the state of the service as one text. */
    digest: (): string => JSON.stringify([[...counts].toSorted(), made.map(({ id }) => id).toSorted()]),

    async send({ path, body, headers, timeoutMs }: Post): Promise<Reply> {
      const kind = KINDS.find((one) => path.endsWith(SERVICE_PATHS[one]));
      if (!kind) {
        const token = `token-${hash32(`${shared.seed} ${shared.nowMs}`)}`;
        const answer = said(200, { access_token: token, expires_in: TOKEN_LIFETIME_S });
        return pass('the service: a token', () => answer, { isQuiet: true });
      }
      const read = typeof body === 'string' ? body : await textOf(body);
      const fields = JSON.parse(read) as Record<string, unknown>;
      const sender = here();
      const what = `the service: ${kind} of ${nameOf(kind, fields)}`;
      const { arrival, thing } = await pass(what, () => arrive(kind, fields, { sender, key: headers[KEY_HEADER] }), {
        tell: (came) => `${callName(came.arrival)}: ${came.arrival.answer}`,
      });
      if (arrival.answer.startsWith('too late')) standStill(sender);
      const reply = await replyTo(arrival.answer, thing, timeoutMs);
      const heard = (): Reply => {
        arrival.isHeard = true;
        return reply;
      };
      return pass(`the service answers ${callName(arrival)}`, heard, { tell: (one) => JSON.stringify(one) });
    },
  };
}

/** Names a call in schedules: `limit of Buyer 1 1000 #2` is the second call for that request. */
export function callName({ kind, what, nth }: Pick<Arrival, 'kind' | 'what' | 'nth'>): string {
  return `${kind} of ${what} #${nth}`;
}

const KINDS = ['company', 'document', 'limit'] as const;
const PREFIX_OF = { company: 'company_', document: 'doc_', limit: 'bl_' } as const;

/** A limit is named by its contact's address and its amount, because each buyer in a world has its own address. */
function nameOf(kind: CallKind, body: Record<string, unknown>): string {
  if (kind === 'company') return String(body.name);
  if (kind === 'document') return /;name=([^;]+);/.exec(String(body.file))?.[1] ?? 'a document';
  const contact = body.contact as { email?: string } | undefined;
  return `${contact?.email ?? body.company} ${body.requested_limit}`;
}

function said(status: number, body: object): Extract<Reply, { is: 'answer' }> {
  return { is: 'answer', status, headers: {}, text: JSON.stringify(body) };
}

function resourceOf({ kind, id, body }: MadeThing): Record<string, unknown> {
  if (kind !== 'limit') return { id, object: kind };
  const { requested_limit: limit, company } = body;
  return {
    id,
    object: 'buyer_limit',
    company,
    requested_limit: limit,
    total_limit: limit,
    available_limit: limit,
    status: 'approved',
  };
}
