import type { EventMapping, MappedName } from '../../src/events/event-mapping.ts';
import { inPlace, listPlaces, pointerOf, valueAt } from '../../src/json-pointer.ts';
import type { LaterWord } from '../../src/ledger/rows/decisions.ts';
import { besideAmount } from '../../src/portfolio/lines/one-currency.ts';
import { readAmount, readMoment } from '../../src/portfolio/results/decision-columns.ts';
import { faultOfText, unlessToday } from '../../src/portfolio/results/decisions-file.ts';
import { DAY_MS } from '../../src/time-units.ts';

/**
 * What an event says of one limit. `found`: the mapped values, as text by name. `currencies`: those that its amounts name, as written. The
 * other fields have the decision, or why there is none.
 */
export type EventReading = { found: Partial<Record<MappedName, string>> } & (
  | { is: 'decision'; word: LaterWord; currencies?: string[] }
  /** The event is of a kind that the mapping does not count. */
  | { is: 'other kind' }
  | { is: 'unreadable'; why: string }
);

/** The most limits that are read from one event: each takes some commands to Redis. */
const MOST_LIMITS = 10_000;

/**
 * How far in the future an event's time may be. A day allows for a sender that states local time as UTC: nobody here can correct it, and its
 * times still tell which event is the later one.
 */
const EVENT_AHEAD_MS = DAY_MS;

/** The most bytes of an id in an event: no service has longer ids. */
const MOST_ID_BYTES = 128;

/**
 * Reads the limits that an event states, by the mapping: for each limit a decision, or why there is none. Events are not trusted: their
 * content may be anything, of any depth and length. Pure.
 *
 * @param firstMs when the event came. A decision without a time, or with only the day of arrival, counts as made then
 */
export function readEvent(body: string, mapping: EventMapping, { firstMs }: { firstMs: number }): EventReading[] {
  let document: unknown;
  try {
    document = JSON.parse(body);
  } catch {
    return [unreadable('The event is no JSON.')];
  }
  const readings: EventReading[] = [];
  for (const reading of readingsOf(document, mapping, firstMs)) {
    if (readings.length === MOST_LIMITS) return [unreadable(`The event has more than ${MOST_LIMITS} limits.`)];
    readings.push(reading);
  }
  return readings;
}

const unreadable = (why: string, found: EventReading['found'] = {}): EventReading => ({ is: 'unreadable', why, found });

function* readingsOf(document: unknown, mapping: EventMapping, firstMs: number): Generator<EventReading> {
  // An event's kind is looked at first, since events of other kinds may lack all that is mapped.
  for (const outer of listPlaces(document, mapping.at.kind ?? [])) {
    if (outer.noList !== undefined) {
      yield unreadable(noListWords(outer.noList));
      continue;
    }
    const parts = partsOf(document, mapping, outer.places);
    const kind = parts.textOf('kind');
    if (parts.faults.length > 0) yield unreadable(parts.faults.join(' '), parts.found);
    else if (kind !== undefined && !mapping.kinds.includes(kind)) yield { is: 'other kind', found: parts.found };
    else yield* limitsOf(document, mapping, { within: outer.places, kind, firstMs });
  }
}

type Within = { within: readonly string[]; kind: string | undefined; firstMs: number };

function* limitsOf(
  document: unknown,
  mapping: EventMapping,
  { within, kind, firstMs }: Within,
): Generator<EventReading> {
  for (const { places, noList } of listPlaces(document, mapping.at.buyer_limit_id, within)) {
    const told = kind === undefined ? {} : { kind };
    if (noList !== undefined) yield unreadable(noListWords(noList), told);
    else {
      const reading = readLimit(partsOf(document, mapping, places), firstMs);
      yield { ...reading, found: { ...reading.found, ...told } };
    }
  }
}

const noListWords = (where: string): string => `The event has no list at ${where || 'its top'}.`;

type Parts = ReturnType<typeof partsOf>;

/**
 * Makes readers for the mapped values of one limit, which is at these places in the event's lists. `faults` collects why values are missing
 * or cannot be read.
 */
function partsOf(document: unknown, { at, optional }: EventMapping, places: readonly string[]) {
  const faults: string[] = [];
  const found: EventReading['found'] = {};

  /** The text or number that is mapped to this name; '' for null; undefined where nothing is mapped or nothing is found. */
  function contentOf(name: MappedName): string | number | undefined {
    const segments = at[name];
    if (!segments) return undefined;
    const placed = inPlace(segments, places);
    const value = valueAt(document, placed);
    const isText = typeof value === 'string' || typeof value === 'number';
    if (isText) found[name] = String(value);
    if (isText || value === null) return value ?? '';
    if (value !== undefined) {
      const what = Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
      faults.push(`${name} is ${what}, and no text or number, at ${pointerOf(placed)}.`);
    } else if (!optional.includes(name)) faults.push(`${name} is missing: there is nothing at ${pointerOf(placed)}.`);
    return undefined;
  }

  return {
    faults,
    found,
    contentOf,
    /** The text that is mapped to this name. A number or an empty text is a fault. */
    textOf(name: MappedName): string | undefined {
      const value = contentOf(name);
      if (typeof value === 'number' || value === '') faults.push(`${name} is ${value === '' ? 'empty' : 'a number'}.`);
      return typeof value === 'number' ? undefined : value;
    },
    /** The text of a value that was read. A problem of the value is added to the faults, with this name. */
    readingOf(name: MappedName, { value, problem }: { value?: string; problem?: string }): string | undefined {
      if (problem !== undefined) faults.push(`${name}: ${problem}`);
      return value;
    },
  };
}

function readLimit({ faults, found, ...parts }: Parts, firstMs: number): EventReading {
  const limit = parts.textOf('buyer_limit_id') ?? '';
  if (Buffer.byteLength(limit) > MOST_ID_BYTES) faults.push(`buyer_limit_id is longer than ${MOST_ID_BYTES} bytes.`);
  const status = parts.textOf('status') ?? '';
  const fault = faultOfText(status);
  if (fault !== undefined) faults.push(fault);
  const currencies: string[] = [];
  const amountOf = (name: 'total_limit' | 'available_limit') => {
    const value = parts.contentOf(name);
    if (value === undefined) return undefined;
    const currency = besideAmount(String(value));
    if (currency !== '') currencies.push(currency);
    const problem = faultOfAmount(value);
    return parts.readingOf(name, problem === undefined ? readAmount(String(value), '.') : { problem }) ?? '';
  };
  const [total, available] = [amountOf('total_limit'), amountOf('available_limit')];
  const moment = momentText(parts.contentOf('decided_at') ?? '');
  const read = readMoment(moment, { dates: null, now: new Date(), aheadMs: EVENT_AHEAD_MS });
  const decided = unlessToday(parts.readingOf('decided_at', read), new Date(firstMs));
  if (faults.length > 0) return { is: 'unreadable', why: faults.join(' '), found };
  const times = { at: decided ?? new Date(firstMs).toISOString(), isDated: decided !== undefined, isOfEvent: true };
  const word = { limit, status, total, available, ...times };
  return { is: 'decision', word, ...(currencies.length > 0 && { currencies }), found };
}

/** A separator within digits, or a point that may be one of thousands. */
const SEPARATED = /\d[^\d.]+\d|^\D*[1-9]\d{0,2}\.\d{3}\D*$/;

/** The most digits of a fraction that a JSON number carries exactly. */
const EXACT_DIGITS = 15;

/** Why an amount is ambiguous, for instance by a separator of thousands; undefined where it has one meaning. */
function faultOfAmount(value: string | number): string | undefined {
  if (typeof value === 'string') {
    return SEPARATED.test(value)
      ? 'The amount has a separator that may mean thousands or decimals: only text like 25000.50 is read.'
      : undefined;
  }
  const isExact = Number.isInteger(value)
    ? Number.isSafeInteger(value)
    : String(value).replace(/\D/g, '').length <= EXACT_DIGITS;
  return isExact ? undefined : 'The number has more digits than JSON carries exactly.';
}

/** The smallest number that is read as milliseconds since 1970. As seconds it would mean the year 5138. */
const FIRST_MS = 1e11;

/** A moment as text. A number is one of seconds since 1970, or of milliseconds. */
function momentText(value: string | number): string {
  if (typeof value === 'string') return value;
  const date = new Date(Math.abs(value) < FIRST_MS ? value * 1_000 : value);
  return Number.isNaN(date.getTime()) ? String(value) : date.toISOString();
}
