import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import {
  countReadings,
  makeCounts,
  makeMistypedIn,
  type ToldReading,
  tryEvent,
} from '../../jobs/events/take-events.ts';
import type { Settings } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { counted } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import { type EventMapping, readEventMapping } from '../../src/events/event-mapping.ts';
import { fileFault } from '../../src/files/disk.ts';
import { isJson } from '../../src/json-pointer.ts';
import { becameWords, EVENT_BECAME, hasWhys, WOULD_BE_TAKEN } from '../../src/ledger/events/kept-event.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The largest file that may be a single event, in bytes: the highest possible EVENTS_MAX_KB. */
const LARGEST_EVENT_BYTES = 10_240 * 1_024;

/** The most characters that are shown of a value that the mapping finds: an event may have anything at that place. */
const SHOWN = 200;

/** @throws LimitlineError `SETTINGS` if no mapping is set, or it was changed to a wrong one since the settings were read */
export function mappingOf({ EVENTS_MAPPING: path }: Settings): EventMapping {
  if (path === undefined) {
    const words =
      'EVENTS_MAPPING is not set, so no decision is read from events: docs/events.md says what the file of this setting contains.';
    throw new LimitlineError('SETTINGS', words);
  }
  const { mapping, faults = [] } = { mapping: undefined, ...readEventMapping(path) };
  if (mapping) return mapping;
  throw new LimitlineError('SETTINGS', `EVENTS_MAPPING is ${path}, but ${faults.join('; ')}.`);
}

/**
 * Says for each event of a file what the mapping finds, and what would become of it. Changes nothing. Status 2 if something cannot be read,
 * has a status that may be mistyped, or an amount in another currency than its request.
 *
 * @throws LimitlineError `FILE` for a file that cannot be read, or without an event
 */
export async function tryEvents(path: string, context: Context, terminal: Terminal): Promise<void> {
  const mapping = mappingOf(context.settings);
  const events: { line: number; decisions: ReturnType<typeof factsOf>[] }[] = [];
  const counts = makeCounts();
  const mistyped = makeMistypedIn(context);
  for await (const { line, ...event } of eventsIn(path)) {
    const readings = await tryEvent(event, { mapping, mistyped }, context);
    counts.add([{ became: countReadings(readings) }]);
    if (terminal.json) events.push({ line, decisions: readings.map(factsOf) });
    else terminal.answer(wordsOf(line, readings));
  }
  const { events: count, became } = counts.take();
  if (count === 0) throw new LimitlineError('FILE', `${path} has no event: it is empty.`);
  terminal.answer(`${counted(count, 'event')}: ${becameWords(became, true) || 'no decisions'}. Nothing was changed.`);
  if (terminal.json) terminal.print('', { account: context.account, became, events });
  if (hasWhys(became)) process.exitCode = PROBLEMS_STATUS;
}

/** A reading in JSON. */
function factsOf({ found, is, became, doubts, ...reading }: ToldReading) {
  const told = is === 'decision' ? { moment: 'word' in reading ? reading.word.at : undefined } : {};
  return { found, ...told, became, ...(reading.why === undefined ? {} : { why: reading.why }), warnings: doubts };
}

function wordsOf(line: number, readings: readonly ToldReading[]): string {
  if (readings.length === 0) return `line ${line}: the event names no limit`;
  return readings.map((reading) => `line ${line}: ${readingWords(reading)}`).join('\n');
}

/** A line about what an event says of a limit: `buyer_limit_id bl_1, status approved: would be taken` */
function readingWords({ found, became, doubts, ...reading }: ToldReading): string {
  const parts = Object.entries(found).map(([name, text]) => `${name} ${visible(text.slice(0, SHOWN))}`);
  const why = reading.why === undefined ? '' : `. ${reading.why}`;
  const warnings = doubts.map((one) => `. ${one}`).join('');
  return `${parts.join(', ') || 'nothing found'}: ${became === 'taken' ? WOULD_BE_TAKEN : EVENT_BECAME[became]}${visible(why)}${visible(warnings)}`;
}

type FoundEvent = { line: number; firstMs: number; body: string };

/** The events of a file: one, which may take many lines; or one a line, raw or as `events export` writes it. */
async function* eventsIn(path: string): AsyncGenerator<FoundEvent> {
  try {
    const { size } = await stat(path);
    const whole = size <= LARGEST_EVENT_BYTES ? await readFile(path, 'utf8') : '';
    if (isJson(whole)) {
      yield eventOf(whole, 1);
      return;
    }
    let line = 0;
    for await (const text of linesIn(path)) {
      line += 1;
      if (text.trim() !== '') yield eventOf(text, line);
    }
  } catch (error) {
    throw error instanceof LimitlineError ? error : fileFault(path, 'read', error);
  }
}

/** The lines of a file, which end at line feeds alone: JSON may have other line separators within a text. */
async function* linesIn(path: string): AsyncGenerator<string> {
  let begun = '';
  for await (const piece of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    begun += piece;
    if (!piece.includes('\n')) continue;
    const lines = begun.split('\n');
    begun = lines.pop() ?? '';
    yield* lines;
  }
  yield begun;
}

/** An event's content, and when it came; the present moment if the file does not state that. */
function eventOf(text: string, line: number): FoundEvent {
  const exported = isJson(text) ? exportedSchema.safeParse(JSON.parse(text)) : { data: undefined };
  if (!exported.data) return { line, firstMs: Date.now(), body: text };
  const { body, encoding, first } = exported.data;
  return { line, firstMs: Date.parse(first), body: Buffer.from(body, encoding).toString() };
}

/** The parts of a line of `events export` that are read. */
const exportedSchema = z.looseObject({
  sha256: z.string().length(64),
  first: z.iso.datetime(),
  encoding: z.enum(['utf-8', 'base64']),
  body: z.string(),
});
