import { createHash } from 'node:crypto';
import type { RowsOfEvent } from '../../src/ledger/events/event-rows.ts';
import type { Events } from '../../src/ledger/events/events.ts';
import { type KeptEvent, type RawEvent, utf8Text } from '../../src/ledger/events/kept-event.ts';

type EventLinesDeps = { events: Pick<Events, 'walk' | 'rowsOf' | 'raw'> };

/**
 * All kept events of the service, or those since a moment, as NDJSON, oldest first: content, headers, ids, and the rows that
 * they name. Holds one event in memory at a time.
 *
 * @param given.counts counts the lines taken
 * @param given.withRows whether to look up rows: some microseconds of Redis' time for each id and portfolio
 */
export async function* eventLines(
  { sinceMs, counts, withRows }: { sinceMs?: number | undefined; counts: { events: number }; withRows: boolean },
  { events }: EventLinesDeps,
): AsyncGenerator<string> {
  for await (const page of events.walk({ sinceMs, from: 'oldest' })) {
    const rows = withRows ? await events.rowsOf(page) : undefined;
    for (const [place, event] of page.entries()) {
      const raw = await events.raw(event.id);
      // The event may have been removed meanwhile.
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

/** The fields of an event's JSON line, without the rows that it names. */
export function eventFacts({ id, firstMs, lastMs, times, sizeBytes, ids, moreIds, became }: KeptEvent) {
  return {
    id,
    first: new Date(firstMs).toISOString(),
    last: new Date(lastMs).toISOString(),
    times,
    size_bytes: sizeBytes,
    ids,
    more_ids: moreIds,
    ...(became === undefined ? {} : { became }),
  };
}

/** The rows whose ids an event names, as fields of a JSON line. */
export function eventRowFacts({ rows = [], moreRows = false }: Partial<RowsOfEvent> = {}) {
  return {
    rows: rows.map(({ row, line, id, of }) => ({ portfolio: row.portfolio, row: row.key, line, id, of })),
    more_rows: moreRows,
  };
}
