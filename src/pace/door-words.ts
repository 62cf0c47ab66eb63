import type { RedisConnection } from '../lua-script.ts';

/** The kinds of call that make something. */
const CALLS = { company: 'company requests', document: 'document uploads', limit: 'limit requests' } as const;
export type CallKind = keyof typeof CALLS;

/** A kind of call that does not leave: why, and when it is tried again. */
export type Shut = { kind: CallKind; why: string; untilMs: number };

/** Shut doors in words for people, such as "the outcome of limit requests is unknown (status 502); next try in 8 s". */
export function describeShut(shut: readonly Shut[], nowMs: number = Date.now()): string {
  const [first] = shut;
  if (!first) return '';
  const kinds = shut.map(({ kind }) => CALLS[kind]).join(' and ');
  const wait = first.untilMs > nowMs ? describeWait(first.untilMs, nowMs) : 'being tried again';
  return `the outcome of ${kinds} is unknown (${first.why}); ${wait}`;
}

/** A second to do is shown as a second; a long wait by the clock. */
const CLOCK_FROM_MS = 10_000;

/** "next try in 4 s", "waits until 10:31:05". */
export function describeWait(untilMs: number, nowMs: number): string {
  const leftMs = untilMs - nowMs;
  if (leftMs < CLOCK_FROM_MS) return `next try in ${Math.ceil(leftMs / 1_000)} s`;
  return `waits until ${new Date(untilMs).toLocaleTimeString('en-GB')}`;
}

/** The doors of an account that are shut, as they stand in Redis: for commands that call nothing. */
export async function readShut(connection: RedisConnection, key: string): Promise<Shut[]> {
  const kinds = Object.keys(CALLS) as CallKind[];
  const [[dueAt, ...whys], [seconds, micros]] = await Promise.all([
    connection.hmget(key, 'dueAt', ...kinds.map((kind) => `shut:${kind}`)),
    connection.time(),
  ]);
  const untilMs = Date.now() + (Number(dueAt) - (Number(seconds) * 1e6 + Number(micros))) / 1_000;
  return kinds.flatMap((kind, at) => (whys[at] ? [{ kind, why: whys[at], untilMs }] : []));
}
