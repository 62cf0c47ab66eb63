import { MOST_IDS, MOST_TABLE_IDS, makeIdTable } from '../../../src/ledger/events/event-ids.ts';
import type { NamedRow } from '../../../src/ledger/events/event-rows.ts';
import type { Events } from '../../../src/ledger/events/events.ts';
import type { FoundItem, FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { RowResult } from '../../../src/ledger/schema/row.ts';
import { rowItem } from '../row-facts.ts';
import type { RowCheck, WalkedRow } from '../walk-ledger.ts';

/** New events that are looked at: what comes in a day, and some megabytes of memory. The newest first. */
const MOST_EVENTS = 100_000;

type NewEvents = Pick<Events, 'walk' | 'countSince' | 'totals'>;

/**
 * Finds what came from the service since the night before: the rows that are named by it, each once, and how many events name nothing
 * that is known here. The service's events are not known by kind or shape, so a person has to read what they say. Also tells of events
 * that were not taken, since no more may be kept.
 *
 * The ids of all new events are read before the walk, and each row's are looked up in memory. Where none is new, it looks at no row.
 */
export async function findNamedByEvents(
  events: NewEvents,
  { sink, sinceMs }: { sink: FoundSink; sinceMs: number },
): Promise<RowCheck> {
  const count = await events.countSince(sinceMs);
  const { full, fullMs = 0 } = await events.totals();
  if (full > 0 && fullMs >= sinceMs) await sink.found(notTaken(full, fullMs));
  if (count === 0) return { row: () => {} };
  const looked = Math.min(count, MOST_EVENTS);
  const table = makeIdTable(Math.min(looked * MOST_IDS, MOST_TABLE_IDS));
  const idsOf = await readNew(events, { table, sinceMs, most: looked });
  const isNamed = new Uint8Array(table.size);

  return {
    row(walked) {
      const found = namedId(walked.result, (id) => table.find(id));
      for (const slot of found?.slots ?? []) isNamed[slot] = 1;
      return found && sink.found(itemOf(walked, found, table.at(found.slots[0] ?? 0)));
    },
    async end() {
      const nameless = idsOf.filter(({ slots }) => !slots.some((slot) => isNamed[slot] === 1));
      // Nobody knows what the others name: their ids were more than are told apart.
      const unknown = nameless.filter(({ isWhole }) => isWhole).length;
      const left = count - looked + nameless.length - unknown;
      if (unknown > 0) await sink.found(namesNothing(unknown));
      if (left > 0) await sink.found(notLookedAt(left));
    },
  };
}

/** In which slots the ids of an event stand, and whether there was room for all of them. */
type EventSlots = { slots: Uint32Array; isWhole: boolean };

/** Adds the ids of new events to the table. Returns the table's slots for the ids of each event. */
async function readNew(
  events: NewEvents,
  { table, sinceMs, most }: { table: ReturnType<typeof makeIdTable>; sinceMs: number; most: number },
): Promise<EventSlots[]> {
  const idsOf: EventSlots[] = [];
  for await (const page of events.walk({ sinceMs, from: 'latest' })) {
    for (const { ids, lastMs } of page.slice(0, most - idsOf.length)) {
      const slots = Uint32Array.from(ids.flatMap((id) => table.add(id, lastMs) ?? []));
      idsOf.push({ slots, isWhole: slots.length === ids.length });
    }
    if (idsOf.length >= most) break;
  }
  return idsOf;
}

type Named = { of: NamedRow['of']; id: string; slots: number[] };

/** By what a row is named: first by what is its own, then by what it may share with others. */
function namedId(result: RowResult, find: (id: string) => number | undefined): Named | undefined {
  const { limitId, companyId, again, request } = result;
  let named: Named | undefined;
  const look = (of: Named['of'], id: string) => {
    const slot = find(id);
    if (slot === undefined) return;
    named ??= { of, id, slots: [] };
    named.slots.push(slot);
  };
  look('limit', limitId);
  if (again) look('limit', again.again);
  for (const id of result.documentIds) look('document', id);
  look('company', companyId || (request.companyId ?? ''));
  const { company_registration_number: registration, business_information_id: information } = request.limit;
  for (const number of [registration, information]) if (typeof number === 'string') look('number', number);
  return named;
}

const SAYS: Readonly<Record<Named['of'], string>> = {
  limit: 'an event of the service names its limit',
  document: 'an event of the service names one of its documents',
  company: 'an event of the service names its company',
  number: 'an event of the service names a number of its company',
};

function itemOf(walked: WalkedRow, { of, id }: Named, { count, lastMs }: { count: number; lastMs: number }): FoundItem {
  const often = count > 1 ? `, ${count} events, the last` : '';
  return rowItem('events', walked, SAYS[of], { detail: `${id}${often} ${new Date(lastMs).toISOString()}` });
}

/** Of no portfolio; what is counted are events. */
function found(says: string, rows: number, command: string): FoundItem {
  return { check: 'events', portfolio: '', says, rows, isMended: false, command };
}

function namesNothing(events: number): FoundItem {
  return found('events of the service that name nothing known here', events, 'events');
}

function notLookedAt(events: number): FoundItem {
  return found(
    'more events of the service than are looked at in one night',
    events,
    'events export --out events.ndjson',
  );
}

function notTaken(events: number, lastMs: number): FoundItem {
  const says = 'events of the service were not taken, since all that EVENTS_KEEP_MB allows is kept';
  return { ...found(says, events, 'events'), detail: `the last at ${new Date(lastMs).toISOString()}` };
}
