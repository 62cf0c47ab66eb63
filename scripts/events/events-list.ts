import { counted } from '../../src/counted.ts';
import type { EventList, ListedEvent } from '../../src/ledger/events/event-rows.ts';
import { type NamedRow, whoseId } from '../../src/ledger/events/event-rows.ts';
import { becameWords, sizeText } from '../../src/ledger/events/kept-event.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { DAY_MS } from '../../src/time-units.ts';
import { secondText } from '../../src/utc-text.ts';
import { foldedText } from '../terminal/width.ts';

/** The spaces in front of the lines about one event. */
const INDENT = 4;

/** The most rows listed per event; `--json` has ten. */
const MOST_ROWS = 3;

export type ToldEvent = ListedEvent & { whys?: string[] };

/** The latest events as text: how much is kept, then each event with what it names, latest first. */
export function eventsList(
  list: Omit<EventList, 'events'> & { events: ToldEvent[] },
  { portfolio }: { portfolio?: string | undefined } = {},
): string {
  const lines = foldedText(keptWords(list));
  if (list.totals.full > 0) lines.push(...foldedText(fullWords(list)));
  if (list.events.length === 0) lines.push('', emptyWords(list, portfolio));
  for (const event of list.events) lines.push('', ...eventLines(event));
  if (list.more) lines.push('', 'There are older ones: --last N, --since TIME, or npx limitline events export.');
  if (list.archived > 0 && list.events.length > 0) lines.push('', ...foldedText(archivedWords(list.archived)));
  return lines.join('\n');
}

function keptWords({ totals, mostBytes, keepMs }: Omit<EventList, 'events'>): string {
  const most = sizeText(mostBytes);
  return `${counted(totals.events, 'event')} kept, ${sizeText(totals.bytes)} of ${most}, each for ${counted(keepMs / DAY_MS, 'day')}.`;
}

function fullWords({ totals }: Pick<EventList, 'totals'>): string {
  const when = totals.fullMs === undefined ? '' : `, the last at ${secondText(totals.fullMs)}`;
  return `NOT TAKEN: ${counted(totals.full, 'event')} so far${when}, since no more may be kept: make EVENTS_KEEP_MB larger, or EVENTS_KEEP_DAYS smaller.`;
}

function emptyWords({ totals }: Pick<EventList, 'totals'>, portfolio: string | undefined): string {
  // People who never used events are told how events come to Limitline.
  if (totals.events === 0) return 'No event is here: events come where EVENTS_PORT is set (docs/events.md).';
  return portfolio === undefined ? 'No event fits these options.' : `No event names a row of ${portfolio}.`;
}

function archivedWords(archived: number): string {
  return `${counted(archived, 'portfolio')} ${archived === 1 ? 'is' : 'are'} archived or forgotten. Restore an archived portfolio to see whether an event names one of its rows.`;
}

function eventLines(given: ToldEvent): string[] {
  const { id, firstMs, lastMs, times, sizeBytes, ids, rows, moreRows, became, whys = [] } = given;
  const often = times === 1 ? '' : `, ${counted(times, 'time')}, the last ${secondText(lastMs)}`;
  const decided = became ? indented(`decisions: ${becameWords(became) || 'none'}`) : [];
  const why = whys.slice(0, MOST_ROWS).flatMap((one) => indented(visible(one)));
  const head = [
    `${secondText(firstMs)}  ${sizeText(sizeBytes)}${often}`,
    ...indented(`event ${id}`),
    ...decided,
    ...why,
  ];
  if (rows.length === 0) {
    return [...head, ...indented(ids.length === 0 ? 'names no id' : `names nothing known here: ${someOf(ids)}`)];
  }
  const others = rows.length > MOST_ROWS || moreRows ? indented('and others') : [];
  return [...head, ...rows.slice(0, MOST_ROWS).flatMap((row) => indented(rowWords(row))), ...others];
}

function rowWords({ row, line, name, id, of }: NamedRow): string {
  return `${id}: ${whoseId(of)} of ${row.portfolio} line ${line}, ${visible(name)}`;
}

function someOf(ids: readonly string[]): string {
  return ids.length > MOST_ROWS ? `${ids.slice(0, MOST_ROWS).join(', ')} …` : ids.join(', ');
}

const indented = (text: string): string[] => foldedText(text, INDENT);
