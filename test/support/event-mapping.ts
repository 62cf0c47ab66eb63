import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EventMapping, readEventMapping } from '../../src/events/event-mapping.ts';

/** What a mapping file may have. */
export const MAPPING = {
  buyer_limit_id: '/data/id',
  status: '/data/status',
  total_limit: '/data/total_limit',
  available_limit: '/data/available_limit',
  decided_at: '/created',
  kind: '/type',
  kinds: ['buyer_limit.updated'],
};

/** Writes a mapping file, as JSON or a text as it is, and answers its path. */
export function writeMapping(dir: string, content: unknown = MAPPING): string {
  const path = join(dir, 'events.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** The mapping that stands in a file. */
export function mappingIn(path: string): EventMapping {
  const { mapping, faults } = { mapping: undefined, faults: undefined, ...readEventMapping(path) };
  if (!mapping) throw new Error(`the mapping is wrong: ${faults}`);
  return mapping;
}

/** An event as {@link MAPPING} reads it. */
export function decisionEvent(
  id: string | undefined,
  status: unknown,
  { total = 1_000 as unknown, at = new Date().toISOString() as unknown, type = 'buyer_limit.updated' as unknown } = {},
): string {
  return JSON.stringify({ type, created: at, data: { id, status, total_limit: total, available_limit: total } });
}
