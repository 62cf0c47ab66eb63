import { createHash } from 'node:crypto';
import type { RowsOfEvent } from '../../src/ledger/events/event-rows.ts';
import type { Events } from '../../src/ledger/events/events.ts';
import { type KeptEvent, type RawEvent, utf8Text } from '../../src/ledger/events/kept-event.ts';

export type EventLinesDeps = { events: Pick<Events, 'walk' | 'rowsOf' | 'raw'> };

/**
 * All events of the service that are kept, or those since a moment, as NDJSON, the oldest first: a line each, with its content, its
 * headers, the ids that stand in it and the rows that it names. One event is held at a time.
 *
 * @param given.counts is counted up while lines are taken
 * @param given.withRows whether the rows are looked up: some microseconds of Redis' time for each id and portfolio
 */
export async function* eventLines(
  { sinceMs, counts, withRows }: { sinceMs?: number | undefined; counts: { events: number }; withRows: boolean },
  { events }: EventLinesDeps,
): AsyncGenerator<string> {
  for await (const page of events.walk({ sinceMs, from: 'oldest' })) {
    const rows = withRows ? await events.rowsOf(page) : undefined;
    for (const [place, event] of page.entries()) {
      const raw = await events.raw(event.id);
      // It may have gone meanwhile.
      if (!raw) continue;
      counts.events += 1;
      yield `${JSON.stringify(lineOf(raw, rows?.[place], withRows))}\n`;
    }
  }
}

function lineOf({ body, headers, ...event }: RawEvent, named: RowsOfEvent | undefined, withRows: boolean) {
  const text = utf8Text(body);
  return {
    ...eventFacts(event),
    sha256: createHash('sha256').update(body).digest('hex'),
    headers,
    encoding: text === undefined ? 'base64' : 'utf-8',
    body: text ?? body.toString('base64'),
    ...(withRows ? eventRowFacts(named) : {}),
  };
}

/** What is known of an event, as programs read it. */
export function eventFacts({ id, firstMs, lastMs, times, sizeBytes, ids, moreIds }: KeptEvent) {
  return {
    id,
    first: new Date(firstMs).toISOString(),
    last: new Date(lastMs).toISOString(),
    times,
    size_bytes: sizeBytes,
    ids,
    more_ids: moreIds,
  };
}

/** The rows that an event names, as programs read them. */
export function eventRowFacts({ rows = [], moreRows = false }: Partial<RowsOfEvent> = {}) {
  return {
    rows: rows.map(({ row, line, id, of }) => ({ portfolio: row.portfolio, row: row.key, line, id, of })),
    more_rows: moreRows,
  };
}
