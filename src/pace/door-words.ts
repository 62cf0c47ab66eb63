import { CALL_KINDS, type CallKind, KINDS } from '../call-kind.ts';
import type { RedisConnection } from '../lua-script.ts';

/** How the reason begins where calls cannot leave for a fault of our own. */
export const OURS = 'the data folder cannot be used';

/** Whether calls wait for a fault of our own, and not for the service. */
export const isOurs = (why: string): boolean => why.startsWith(OURS);

/** A kind of call that does not leave: why, when it may be tried again, and whether any shut door is being tried now. */
export type Shut = { kind: CallKind; why: string; untilMs: number; isTried: boolean };

/** Shut doors in words for people, such as "the outcome of limit requests is unknown (status 502); next try in 8 s". */
export function describeShut(shut: readonly Shut[], nowMs: number = Date.now()): string {
  const [first] = shut;
  if (!first) return '';
  const said = [...Map.groupBy(shut, ({ why }) => isOurs(why))].map(([isOwn, doors]) => {
    const kinds = doors.map(({ kind }) => KINDS[kind].calls).join(' and ');
    const why = doors[0]?.why;
    return isOwn ? `no ${kinds} leave, since ${why}` : `the outcome of ${kinds} is unknown (${why})`;
  });
  return `${said.join('; ')}; ${describeTrial(first, nowMs)}`;
}

function describeTrial({ untilMs, isTried }: Shut, nowMs: number): string {
  if (untilMs > nowMs) return describeWait(untilMs, nowMs);
  // Nobody makes a call for the trial's sake: it is one that somebody wants made.
  return isTried ? 'being tried again' : 'tried again with the next such call';
}

/** Why all calls wait, and until when: "the service asked to wait, next try in 4 s". A reason of whole sentences keeps its full stop. */
export function describeBlock({ why, untilMs }: { why: string; untilMs: number }, nowMs: number): string {
  const wait = describeWait(untilMs, nowMs);
  return why.endsWith('.') ? `${why} ${wait.charAt(0).toUpperCase()}${wait.slice(1)}` : `${why}, ${wait}`;
}

/** A second to do is shown as a second; a long wait by the clock. */
const CLOCK_FROM_MS = 10_000;

/** "next try in 4 s", "waits until 10:31:05". */
function describeWait(untilMs: number, nowMs: number): string {
  const leftMs = untilMs - nowMs;
  if (leftMs < CLOCK_FROM_MS) return `next try in ${Math.ceil(leftMs / 1_000)} s`;
  return `waits until ${new Date(untilMs).toLocaleTimeString('en-GB')}`;
}

/** The doors of an account that are shut, as they stand in Redis: for commands that call nothing. */
export async function readShut(connection: RedisConnection, key: string): Promise<Shut[]> {
  const [[dueAt, leaseUntil, ...whys], [seconds, micros]] = await Promise.all([
    connection.hmget(key, 'dueAt', 'leaseUntil', ...CALL_KINDS.map((kind) => `shut:${kind}`)),
    connection.time(),
  ]);
  const nowUs = Number(seconds) * 1e6 + Number(micros);
  const untilMs = Date.now() + (Number(dueAt) - nowUs) / 1_000;
  const isTried = Number(leaseUntil) > nowUs;
  return CALL_KINDS.flatMap((kind, at) => (whys[at] ? [{ kind, why: whys[at], untilMs, isTried }] : []));
}
