import { CALL_KINDS, type CallKind, KINDS } from '../call-kind.ts';
import type { RedisConnection } from '../lua-script.ts';
import { capitalized } from '../sentence.ts';

/** The first words of a breaker's reason if a fault of this installation, and not of the service, stops the calls. */
export const OURS = 'the data folder cannot be used';

/** Whether a breaker's reason is a fault of this installation, such as of its data folder, and not of the service. */
export const tellsOfOwnFault = (why: string): boolean => why.startsWith(OURS);

/** A kind of call whose breaker is tripped: why, when it is tried next, and whether any breaker's probe is in flight (`isTried`). */
export type Tripped = { kind: CallKind; why: string; untilMs: number; isTried: boolean };

/** Tripped breakers as text for people, such as "the outcome of limit requests is unknown (status 502); next try in 8 s". */
export function describeTripped(tripped: readonly Tripped[], nowMs: number = Date.now()): string {
  const [first] = tripped;
  if (!first) return '';
  const said = [...Map.groupBy(tripped, ({ why }) => tellsOfOwnFault(why))].map(([isOwn, breakers]) => {
    const kinds = breakers.map(({ kind }) => KINDS[kind].calls).join(' and ');
    const why = breakers[0]?.why;
    return isOwn ? `no ${kinds} leave, since ${why}` : `the outcome of ${kinds} is unknown (${why})`;
  });
  return `${said.join('; ')}; ${describeProbe(first, nowMs)}`;
}

function describeProbe({ untilMs, isTried }: Tripped, nowMs: number): string {
  if (untilMs > nowMs) return describeWait(untilMs, nowMs);
  // No call is made just to probe: the probe is the next call that is due anyway.
  return isTried ? 'the next try is under way' : 'the next such call is the next try';
}

/** Why and until when all calls wait: "the service asked to wait, next try in 4 s". A reason of whole sentences keeps its full stop. */
export function describeBlock({ why, untilMs }: { why: string; untilMs: number }, nowMs: number): string {
  const wait = describeWait(untilMs, nowMs);
  return why.endsWith('.') ? `${why} ${capitalized(wait)}` : `${why}, ${wait}`;
}

/** From this many ms on, the end of a wait is shown as a time of day; below it in seconds. */
const CLOCK_FROM_MS = 10_000;

/** How long a wait lasts, as text: "next try in 4 s", "next try at 10:31:05". */
function describeWait(untilMs: number, nowMs: number): string {
  const leftMs = untilMs - nowMs;
  if (leftMs < CLOCK_FROM_MS) return `next try in ${Math.ceil(leftMs / 1_000)} s`;
  return `next try at ${new Date(untilMs).toLocaleTimeString('en-GB')}`;
}

/** The tripped breakers of an account in Redis, for commands that make no calls. */
export async function readTripped(connection: RedisConnection, key: string): Promise<Tripped[]> {
  const [[dueAt, leaseUntil, ...whys], [seconds, micros]] = await Promise.all([
    connection.hmget(key, 'dueAt', 'leaseUntil', ...CALL_KINDS.map((kind) => `shut:${kind}`)),
    connection.time(),
  ]);
  const nowUs = Number(seconds) * 1e6 + Number(micros);
  const untilMs = Date.now() + (Number(dueAt) - nowUs) / 1_000;
  const isTried = Number(leaseUntil) > nowUs;
  return CALL_KINDS.flatMap((kind, at) => (whys[at] ? [{ kind, why: whys[at], untilMs, isTried }] : []));
}
