import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EventMapping, readEventMapping } from '../../src/events/event-mapping.ts';
import { makeEvents } from '../../src/ledger/events/events.ts';
import type { EventLimits } from '../../src/ledger/events/keep-events.ts';
import type { Keys } from '../../src/ledger/schema/keys.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import { openLedger } from './ledger.ts';

const DAY_MS = 86_400_000;

/** A ledger of this test and its store of events. */
export function openEvents(limits: Partial<EventLimits> = {}) {
  const ledger = openLedger();
  const events = makeEvents({ ...ledger, limits: { mostBytes: 1_000_000, keepMs: 30 * DAY_MS, ...limits } });
  return { ...ledger, events, all: () => allEvents(events) };
}

/** An event with this content, a text or bytes, and few headers. */
export function eventOf(content: string | Buffer, headers: Record<string, string> = { 'user-agent': 'a service' }) {
  return { body: Buffer.from(content as string), headers };
}

/** All stored events, the oldest first. */
export async function allEvents(events: ReturnType<typeof makeEvents>) {
  const found = [];
  for await (const page of events.walk({ from: 'oldest' })) found.push(...page);
  return found;
}

/** Makes an event older, as if it had arrived so many ms earlier. */
export async function makeOlder(
  { connection, keys }: { connection: RedisConnection; keys: Keys },
  id: string,
  ms: number,
) {
  await connection.zincrby(keys.eventsLately, -ms, id);
}

/** Lets time pass for events that wait to be read for decisions. */
export async function letPass({ connection, keys }: { connection: RedisConnection; keys: Keys }, ms: number) {
  for (const id of await connection.zrange(keys.eventsUnread, 0, '-1'))
    await connection.zincrby(keys.eventsUnread, -ms, id);
}

/** An id in the form of the service, unique to the test. */
export function freshId(prefix: string): string {
  return `${prefix}${randomBytes(9).toString('hex')}`;
}

/** A valid mapping file. */
export const MAPPING = {
  buyer_limit_id: '/data/id',
  status: '/data/status',
  total_limit: '/data/total_limit',
  available_limit: '/data/available_limit',
  decided_at: '/created',
  kind: '/type',
  kinds: ['buyer_limit.updated'],
};

/** Writes a mapping file, as JSON or as the given text, and returns its path. */
export function writeMapping(dir: string, content: unknown = MAPPING): string {
  const path = join(dir, 'events.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** The mapping of a file. */
export function mappingIn(path: string): EventMapping {
  const { mapping, faults } = { mapping: undefined, faults: undefined, ...readEventMapping(path) };
  if (!mapping) throw new Error(`the mapping is wrong: ${faults}`);
  return mapping;
}

/** An event in the form that {@link MAPPING} reads. */
export function decisionEvent(
  id: string | undefined,
  status: unknown,
  { total = 1_000 as unknown, at = new Date().toISOString() as unknown, type = 'buyer_limit.updated' as unknown } = {},
): string {
  return JSON.stringify({ type, created: at, data: { id, status, total_limit: total, available_limit: total } });
}
