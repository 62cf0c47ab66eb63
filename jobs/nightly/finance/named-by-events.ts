import { MOST_IDS, MOST_TABLE_IDS, makeIdTable } from '../../../src/ledger/events/event-ids.ts';
import type { NamedRow } from '../../../src/ledger/events/event-rows.ts';
import type { Events } from '../../../src/ledger/events/events.ts';
import type { EventBecame } from '../../../src/ledger/events/kept-event.ts';
import type { FoundItem, FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { RowResult } from '../../../src/ledger/schema/row.ts';
import { type RowCheck, rowItem, type WalkedRow } from '../walk-ledger.ts';

/** The most new events that are read, newest first. The events of a usual day take some megabytes of memory. */
const MOST_EVENTS = 100_000;

type NewEvents = Pick<Events, 'walk' | 'countSince' | 'totals'>;

/**
 * Finds rows that the service's new events name, each once, and counts events that name nothing known here. The kinds of events
 * are unknown, so a person has to read them. Also reports events that were not kept, because EVENTS_KEEP_MB was used up.
 *
 * The ids of all new events are read first, and each row's ids looked up in memory. Without new events, no row is read.
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
  const { idsOf, became } = await readNew(events, { table, sinceMs, most: looked });
  for (const [name, says] of NOT_TAKEN) if (became[name]) await sink.found(found(says, became[name], 'events'));
  const isNamed = new Uint8Array(table.size);

  return {
    row(walked) {
      const found = namedId(walked.result, (id) => table.find(id));
      for (const slot of found?.slots ?? []) isNamed[slot] = 1;
      return found && sink.found(itemOf(walked, found, table.at(found.slots[0] ?? 0)));
    },
    async end() {
      const nameless = idsOf.filter(({ slots }) => !slots.some((slot) => isNamed[slot] === 1));
      // An event is left out if not all its ids fit into the table of ids: it may name a row.
      const unknown = nameless.filter(({ isWhole }) => isWhole).length;
      const left = count - looked + nameless.length - unknown;
      if (unknown > 0) await sink.found(namesNothing(unknown));
      if (left > 0) await sink.found(notLookedAt(left));
    },
  };
}

/** The places of an event's ids in the table of ids of all new events, and whether all ids of the event are in it. */
type EventSlots = { slots: Uint32Array; isWhole: boolean };

/**
 * Adds the ids of new events to the table of ids. Returns the slots of each event, and counts of what became of decisions. Events whose
 * decisions were all taken, or said nothing new, are left out.
 */
async function readNew(
  events: NewEvents,
  { table, sinceMs, most }: { table: ReturnType<typeof makeIdTable>; sinceMs: number; most: number },
): Promise<{ idsOf: EventSlots[]; became: EventBecame }> {
  const idsOf: EventSlots[] = [];
  const became: Partial<Record<keyof EventBecame, number>> = {};
  let read = 0;
  for await (const page of events.walk({ sinceMs, from: 'latest' })) {
    for (const { ids, lastMs, became: own = {} } of page.slice(0, most - read)) {
      read += 1;
      const names = Object.keys(own) as (keyof EventBecame)[];
      for (const name of names) became[name] = (became[name] ?? 0) + (own[name] ?? 0);
      if (names.length > 0 && names.every((name) => NEEDS_NOBODY.includes(name))) continue;
      const slots = Uint32Array.from(ids.flatMap((id) => table.add(id, lastMs) ?? []));
      idsOf.push({ slots, isWhole: slots.length === ids.length });
    }
    if (read >= most) break;
  }
  return { idsOf, became };
}

const NEEDS_NOBODY: readonly (keyof EventBecame)[] = ['taken', 'same', 'older'];

/** The results of decisions in events that need a person, each with the sentence of its finding. */
const NOT_TAKEN: readonly (readonly [keyof EventBecame, string])[] = [
  ['unreadable', 'events of the service do not have what EVENTS_MAPPING says: npx limitline events try tells more'],
  ['contradicts', 'decisions in events of the service are unlike others of the same time, and were not taken'],
  [
    'ambiguous',
    'decisions in events of the service name ids with which several requests were answered: take them from a file that names rows',
  ],
  ['not made', 'decisions in events of the service are about limits that do not count for their requests'],
  ['damaged', 'decisions in events of the service are about limits whose records cannot be read'],
  ['mistyped', 'decisions in events of the service have statuses that may be mistyped, and were not taken'],
  [
    'foreign',
    'decisions in events of the service have amounts in another currency than their requests, and were not taken',
  ],
];

type Named = { of: NamedRow['of']; id: string; slots: number[] };

/** The id by which events name a row: ids of the row itself come first, then ids that rows may share. */
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
  limit: "an event of the service names the row's limit",
  document: "an event of the service names one of the row's documents",
  company: "an event of the service names the row's company",
  number: "an event of the service names a number of the row's company",
};

function itemOf(walked: WalkedRow, { of, id }: Named, { count, lastMs }: { count: number; lastMs: number }): FoundItem {
  const often = count > 1 ? `, ${count} events, the last` : '';
  return rowItem('events', walked, SAYS[of], { detail: `${id}${often} ${new Date(lastMs).toISOString()}` });
}

/** A finding without a portfolio, which counts events. */
function found(says: string, rows: number, command: string): FoundItem {
  return { check: 'events', portfolio: '', says, rows, isMended: false, command };
}

function namesNothing(events: number): FoundItem {
  return found('events of the service that name nothing known here', events, 'events');
}

function notLookedAt(events: number): FoundItem {
  const words = 'more events of the service than are looked at in one night';
  return found(words, events, 'events export --out events.ndjson');
}

function notTaken(events: number, lastMs: number): FoundItem {
  const says = 'events of the service were not kept, because EVENTS_KEEP_MB is used up';
  return { ...found(says, events, 'events'), detail: `the last at ${new Date(lastMs).toISOString()}` };
}
