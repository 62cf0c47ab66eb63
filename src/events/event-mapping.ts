import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { messageOf } from '../errors.ts';
import { listsOf, pointerSegments } from '../json-pointer.ts';

/** The parts of an event that a mapping file can point at: the columns of a file of decisions, and the kind of the event. */
export const MAPPED = ['buyer_limit_id', 'status', 'total_limit', 'available_limit', 'decided_at', 'kind'] as const;
export type MappedName = (typeof MAPPED)[number];

/** The mapping file, as read. `at` says where an event has each part, as the segments of a JSON pointer. */
export type EventMapping = {
  at: Partial<Record<MappedName, readonly string[]>> & Record<'buyer_limit_id' | 'status', readonly string[]>;
  /** The kinds of events that are read as decisions; events of other kinds are ignored. Empty if no kind is mapped: then all are read. */
  kinds: readonly string[];
  /** Parts that an event may lack. An event that lacks any other mapped part counts as unreadable. */
  optional: readonly string[];
};

const pointer = z
  .string()
  .refine(
    (text) => pointerSegments(text) !== undefined,
    'is no JSON pointer: it begins with / and has ~ only as ~0 or ~1, such as /data/id or /data/*/id',
  );

const mappingSchema = z.strictObject({
  buyer_limit_id: pointer,
  status: pointer,
  total_limit: pointer.optional(),
  available_limit: pointer.optional(),
  decided_at: pointer.optional(),
  kind: pointer.optional(),
  kinds: z.array(z.string().min(1)).default([]),
  optional: z.array(z.enum(['total_limit', 'available_limit', 'decided_at'])).default([]),
});

/** Reads the file that EVENTS_MAPPING names. Answers the mapping, or everything that is wrong with it, each a part of a sentence. */
export function readEventMapping(path: string): { mapping: EventMapping; faults?: undefined } | { faults: string[] } {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'is no JSON' : `cannot be read: ${messageOf(error)}`;
    return { faults: [`the file ${why}`] };
  }
  const parsed = mappingSchema.safeParse(content);
  if (!parsed.success) {
    return {
      faults: parsed.error.issues.map(({ path: at, message }) => [...at, 'in it'].join(' ').concat(`: ${message}`)),
    };
  }
  const { kinds, optional, ...pointers } = parsed.data;
  const at: EventMapping['at'] = { buyer_limit_id: [], status: [] };
  for (const name of MAPPED) {
    const segments = pointerSegments(pointers[name] ?? '');
    if (segments) at[name] = segments;
  }
  const faults = faultsOfLists(at);
  if (at.kind && kinds.length === 0) faults.push('kind in it: kinds is needed too, a list of the kinds that count');
  if (!at.kind && kinds.length > 0) faults.push('kinds in it: kind is needed too, which says where the kind stands');
  return faults.length > 0 ? { faults } : { mapping: { at, kinds, optional } };
}

/**
 * The faults of pointers whose `*` stands for another list than that of `buyer_limit_id`: then it would be unclear which values belong to
 * one limit.
 */
function faultsOfLists(at: EventMapping['at']): string[] {
  const ofLimit = JSON.stringify(listsOf(at.buyer_limit_id)).slice(0, -1);
  return MAPPED.filter((name) => at[name] && !ofLimit.startsWith(JSON.stringify(listsOf(at[name])).slice(0, -1))).map(
    (name) => `${name} in it: its * stands for another list than that of buyer_limit_id`,
  );
}
