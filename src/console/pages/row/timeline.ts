import { STATUS_CODES } from 'node:http';
import type { CallRecord } from '../../../call-kind.ts';
import { stateWords } from '../../../ledger/counts/row-outcome.ts';
import { becameWords } from '../../../ledger/events/kept-event.ts';
import type { KnownImport } from '../../../ledger/portfolios/imports.ts';
import type { StoryEntry } from '../../../ledger/rows/story.ts';
import type { RowState } from '../../../ledger/schema/row.ts';
import { STATES } from '../../../ledger/schema/schema.ts';
import type { NamingEvent, RowStory, StoryCall } from '../../../ledger/story/row-story.ts';
import { countWords, type Html, html, t, translated } from '../../html/html.ts';
import { amount, listWords, moment, plainCause } from '../../parts/text.ts';

/** An entry of a row's timeline: its time in ms, a sentence, and the text that was received or sent. */
export type Happening = {
  atMs: number;
  kind: 'plain' | 'bad' | 'doubt' | 'person';
  words: string | Html;
  /** The text that was received or sent, shown unchanged in a box. */
  detail?: string;
  /** The key of another row of the portfolio that the entry is about. */
  otherRow?: string;
  /** The id of the service's event that the entry is about. */
  event?: string;
  /** The id of the approval that the entry is about. */
  approval?: string;
};

/** The timeline of a row, oldest first: the recorded story, with what the calls and imports add. Pure. */
export function timelineOf(story: RowStory): Happening[] {
  const { result, entries, imports, givenUp } = story;
  const happened = entries.map((entry) => ({ atMs: entry.atMs, ...saidOf(entry, story) }));
  const known = imports.get(result.importId);
  if (known) {
    const by = known.by ? t` by ${known.by}` : '';
    const isAgain = firstTraceMs(story) < known.lastMs;
    if (isAgain) happened.push(...broughtIn(story, known));
    const words = t`${known.fileName} (import ${known.number}) was imported${isAgain ? t` again` : ''}${by}: the row is its line ${result.line}.`;
    happened.push({ atMs: known.lastMs, kind: 'plain', words });
  }
  happened.push(...approvedWords(story));
  for (const call of story.calls) happened.push(...happeningsOfCall(call, story));
  if (result.state === 'cancelled' && !result.replaced && givenUp) {
    const words = t`The portfolio was cancelled by ${givenUp.by || t`somebody`}.`;
    happened.push({ atMs: givenUp.atMs, kind: 'person', words });
  }
  const means = STATES[result.state];
  if ('ended' in means) happened.push({ atMs: result.sinceMs, kind: 'plain', words: translated(means.ended) });
  happened.push(...story.events.map(happeningOfEvent));
  // A stable sort: entries of the same millisecond keep their recorded order.
  return happened.toSorted((a, b) => a.atMs - b.atMs);
}

/** The entry about the approval of the row's import, once a person has answered it. */
function approvedWords({ approved, imports }: RowStory): Happening[] {
  const { by, atMs, words } = approved?.answered ?? { by: '' };
  if (!approved || by === '' || atMs === undefined) return [];
  const what = fileOf(approved.importId ?? '', { imports });
  const how = approved.standing === 'declined' ? t`declined` : t`approved`;
  const said = t`${what} was ${how} by ${by}${words ? `: ${words}` : '.'}`;
  return [{ atMs, kind: 'person', words: said, approval: approved.id }];
}

/** The entry about an event of the service. The service does not document its events, so the entry says only which ids it names. */
function happeningOfEvent({ id, firstMs, times, names, became }: NamingEvent): Happening {
  const often = times > 1 ? t`, ${countWords(times, 'time')} by now` : '';
  const why = becameWords(became ?? {});
  const nothing = why === '' ? t`It changed nothing here.` : t`It changed nothing here. Its decisions: ${why}.`;
  const changed = became?.taken ? t`A decision was taken from it.` : nothing;
  const words = t`An event of the service came that names ${listWords(names, 'and')}${often}. ${changed}`;
  return { atMs: firstMs, kind: 'plain', words, event: id };
}

/** The earliest trace of the row. Calls that another row sent do not count: they may be older than this row. */
function firstTraceMs({ entries, calls }: RowStory): number {
  const own = calls.flatMap(({ known, madeFor }) => (madeFor === undefined ? (known?.atMs ?? []) : []));
  return Math.min(...entries.map(({ atMs }) => atMs), ...own);
}

/**
 * The entry about the import that first brought the row, where a later file repeated its line. The row names only its last
 * import, and of a repeated file only the last time is known. So all imports that may be the first are named.
 */
function broughtIn(story: RowStory, last: KnownImport): Happening[] {
  const { imports, begun } = story;
  const all = [...imports.values()];
  const first = begun > all.length ? all : all.filter(({ lastMs }) => lastMs < firstTraceMs(story));
  const [one, ...others] = first;
  if (!one || (one === last && others.length === 0)) return [];
  const named = first.map(({ number }) => fileOf(String(number), story));
  const words =
    others.length === 0
      ? t`The row was first imported with ${named[0]}.`
      : t`The row was first imported with one of: ${named.join('; ')}.`;
  return [{ atMs: Math.min(one.lastMs, firstTraceMs(story)), kind: 'plain', words }];
}

/** Who knows of a call that a person answered (lua/resolve.lua). */
export const BY_PERSON = 'a person';

function happeningsOfCall({ known, kind, what, madeFor }: StoryCall, { entries }: RowStory): Happening[] {
  if (!known) return [];
  const { atMs, tookMs, sends, id, state, by } = known;
  const whose = madeFor === undefined ? '' : t` for row ${madeFor}`;
  const found: Happening[] = [];
  // What a results file brought back has the time of that file, and not that of the call.
  if (state === 'made' && by !== '' && by !== BY_PERSON) return [];
  if (atMs !== undefined) {
    // An entry of the row tells of any other earlier send.
    const wasPutOff = madeFor === undefined && !entries.some((entry) => 'kind' in entry && entry.kind === kind);
    const why = wasPutOff ? t`: before, the service put it off or was not reached, and nothing was made` : '';
    const often = sends > 1 ? t`, for the ${ordinal(sends)} time${why}` : '';
    found.push({ atMs, kind: 'plain', words: t`The call for ${what} was sent${whose}${often}.` });
  }
  if (state === 'made' && by === '' && atMs !== undefined && tookMs !== undefined) {
    const words = t`The service made ${what} after ${spanWords(tookMs)}: ${id}.`;
    found.push({ atMs: atMs + tookMs, kind: 'plain', words });
  }
  return found;
}

/** What an entry says, without its time. */
type Said = Omit<Happening, 'atMs'>;

const say = (kind: Said['kind'], words: Said['words'], more: Partial<Said> = {}): Said => ({ kind, words, ...more });

/** The state that a row had, behind "it was". */
const wasWords = (state: RowState): string =>
  state === 'held' ? t`in need of an answer` : translated(stateWords(state));

function saidOf(entry: StoryEntry, story: RowStory): Said {
  const { atMs } = entry;
  const sentAfter = (sentMs: number | undefined) => (sentMs === undefined ? '' : t` after ${spanWords(atMs - sentMs)}`);
  switch (entry.is) {
    case 'refused': {
      const late = entry.late ? t`, late: its outcome had been unknown` : '';
      const words = t`The service refused the ${translated(entry.kind)} with status ${entry.status ?? t`unknown`}${sentAfter(entry.sentMs)}${late}.`;
      return say('bad', words, entry.body === '' ? {} : { detail: entry.body });
    }
    case 'unknown': {
      const words = t`${answerOf(entry.heard)} to the ${translated(entry.kind)} call${sentAfter(entry.sentMs)}: it is not known whether the ${translated(entry.kind)} was made.`;
      return say('doubt', words, { detail: entry.heard.replace(SETTING_HINT, '') });
    }
    case 'sent again':
      return say('plain', t`The ${translated(entry.kind)} call is sent again, as an operator has set up.`);
    case 'made late':
      return say('plain', t`An answer came after all: the ${translated(entry.kind)} was made, ${entry.id}.`);
    case 'made twice':
      return say('bad', t`The ${translated(entry.kind)} was made twice: ${entry.id} and ${entry.again}.`);
    case 'held':
      return say('doubt', t`The row needs an answer: a person has to say what became of its call.`);
    case 'failed': {
      const plain = plainCause(entry.message);
      const detail = plain === entry.message ? {} : { detail: entry.message };
      return say('bad', `${plain}.`.replace(/\.\.$/, '.'), detail);
    }
    case 'retried': {
      const words = entry.rule
        ? t`Sent again at night by rule ${entry.rule} of ${entry.by}, night ${entry.night} of ${entry.of} at most: it had been ${wasWords(entry.from)}.`
        : t`Sent again by ${entry.by}: it had been ${wasWords(entry.from)}.`;
      return say('person', words);
    }
    case 'freed':
      return say('plain', t`The outcome of the row’s call is known now, so the row goes on.`);
    case 'resolved': {
      const said = entry.made === undefined ? t`was not made and may be sent again` : t`was made, ${entry.made}`;
      return say('person', t`${entry.by || t`Somebody`} said: the ${translated(entry.kind)} ${said}.`);
    }
    case 'cancelled':
      return say('person', t`Cancelled by ${entry.by}.`);
    case 'decided': {
      const before = entry.before && html` Before: ${recordWords(entry.before)}.`;
      const words = html`The service decided on ${moment(Date.parse(entry.at))}: ${recordWords(entry.said)}, as ${entry.by} brought in with ${entry.file}.${before}`;
      return say('person', words);
    }
    case 'asked': {
      const words = t`${entry.rule ? t`Rule ${entry.rule} of ${entry.by}` : entry.by} asks to have it go on; it was ${wasWords(entry.from)}, and waits for another person's approval.`;
      return say('person', words);
    }
    case 'approved':
    case 'declined': {
      const words = entry.words ? `: ${entry.words}` : '.';
      return say('person', t`That was ${entry.is} by ${entry.by || t`the settings`}${words}`);
    }
    default:
      return saidOfFile(entry, story);
  }
}

/** The hint for operators in a stored answer. The timeline leaves it out, since the row's result shows it. */
const SETTING_HINT = / \(if this service makes nothing then, name \d{3} in SERVICE_NOT_MADE\)/;

/** The answer to a call whose outcome is unknown, as a text: `The service answered 502 Bad Gateway`. */
function answerOf(heard: string): string {
  const [, status] = /^status (\d{3})\b/.exec(heard) ?? [];
  if (status === undefined) return t`No answer`;
  return t`The service answered ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
}

/** The status and the amounts of an answer as a text: `approved, total 250,000.00, available 250,000.00`. */
export function recordWords({ status = '', total_limit = '', available_limit = '' }: CallRecord): Html {
  const parts = [
    status,
    total_limit && html`total ${amount(total_limit)}`,
    available_limit && html`available ${amount(available_limit)}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? html`nothing` : html`${parts.map((part, at) => [at > 0 && ', ', part])}`;
}

/** An entry about what an imported file did to the row. */
type FileEntry = Extract<StoryEntry, { import: string }>;

function fileOf(number: string, { imports }: Pick<RowStory, 'imports'>): string {
  const known = imports.get(number);
  const by = known?.by ? t` by ${known.by}` : '';
  return known ? t`${known.fileName} (import ${number}${by})` : t`import ${number}`;
}

function saidOfFile(entry: FileEntry, story: RowStory): Said {
  const file = fileOf(entry.import, story);
  switch (entry.is) {
    case 'mended': {
      const detail = fieldLines(entry.before);
      return say('person', t`A corrected line came with ${file}. Before it, the row had:`, { detail });
    }
    case 'imported again':
      return say('person', t`The same line came again with ${file}; the row was ${wasWords(entry.from)}.`);
    case 'replaced':
      return say('person', t`A corrected line of ${file} took its place.`, { otherRow: entry.by });
    case 'left out':
      return say('person', t`Cancelled, since ${file} has no valid line for it.`);
  }
}

/** The fields of a row's request, one a line: `company.name: Acme GmbH`. A text that is cut or masked stays as it is. */
function fieldLines(text: string): string {
  try {
    // The buyer's digest in the request is left out, since it tells a reader nothing.
    const { buyer: _digest, ...request } = JSON.parse(text);
    return leavesOf(request, '').join('\n');
  } catch {
    return text;
  }
}

function leavesOf(value: unknown, path: string): string[] {
  if (value === null || value === '') return [];
  if (typeof value !== 'object') return [`${path}: ${value}`];
  return Object.entries(value).flatMap(([name, one]) => leavesOf(one, path === '' ? name : `${path}.${name}`));
}

/** A duration as a text: `85 ms`, `1.2 s`, `3 min 20 s`. */
export function spanWords(ms: number): string {
  if (ms < 1_000) return t`${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return t`${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return t`${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function ordinal(count: number): string {
  const endings: Record<string, string> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
  return `${count}${endings[ORDINALS.select(count)] ?? 'th'}`;
}

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' });
