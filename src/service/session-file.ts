import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { KINDS } from '../call-kind.ts';
import { LimitlineError, messageOf } from '../errors.ts';
import { pointerSegments, valueAt } from '../json-pointer.ts';
import type { Made } from './resource.ts';

/**
 * The call for a hosted session as a file describes it: the service does not show it (docs/service.md, "Hosted session"). `link` and `ends`
 * are the segments of JSON pointers into the answer.
 */
export type SessionCall = {
  path: string;
  body: Readonly<Record<string, unknown>>;
  returnUrl: string;
  link: readonly string[];
  ends: readonly string[] | undefined;
};

/**
 * The names that the body may contain as `${name}`, to be replaced by values. All but the first four are fields of the row, empty if its
 * line has none.
 */
const SESSION_PLACES = [
  'supplier',
  'buyer',
  'limit',
  'return_url',
  'name',
  'country_code',
  'city',
  'street',
  'state',
  'website',
  'company_registration_number',
  'business_information_source',
  'business_information_id',
  'requested_limit',
  'first_name',
  'last_name',
  'email',
] as const;
export type SessionPlace = (typeof SESSION_PLACES)[number];

const PLACE = /\$\{([^{}]*)\}/g;

/**
 * The path of a call: parts of letters, digits and `. _ ~ -`, none of which begins with a dot. So it names no other host, no folder above,
 * and no query.
 */
const PATH = /^(?:\/[\w~-][\w.~-]*)+$/;

/** The paths of the calls that the service documents. None of them may be called as one for a hosted session. */
const KNOWN_PATHS = ['/v1/auth/token', ...Object.values(KINDS).map(({ path }) => path)];

/** Printable ASCII alone (RFC 3986, section 2): neither a control character nor a space is part of a URL. */
const URL_TEXT = /^https?:\/\/[\x21-\x7e]{1,2000}$/;

/** Whether this is a link of a hosted session, or an address to return to: a URL in printable ASCII of at most some 2,000 characters. */
export function isSessionUrl(text: unknown): text is string {
  return typeof text === 'string' && URL_TEXT.test(text) && URL.canParse(text);
}

const pointer = z
  .string()
  .refine((text) => pointerSegments(text) !== undefined, 'is no JSON pointer, such as /data/link')
  .transform((text) => pointerSegments(text) ?? []);

const fileSchema = z.strictObject({
  method: z.literal('POST', 'must be POST, which alone is known of the service').optional(),
  path: z
    .string()
    .regex(PATH, 'must be a path below SERVICE_URL, such as /invoice-financing/v1/sessions, without // or ..')
    .refine((path) => !KNOWN_PATHS.includes(path.toLowerCase()), 'is the path of another call'),
  body: z.record(z.string(), z.json()),
  return_url: z.string().refine(isSessionUrl, 'must be an address that begins with http:// or https://').optional(),
  link: pointer,
  ends: pointer.optional(),
});

/** Reads the file that SERVICE_SESSION_FILE names. Answers the call, or everything that is wrong with it, each a part of a sentence. */
export function readSessionFile(path: string): { session: SessionCall; faults?: undefined } | { faults: string[] } {
  let read: ReturnType<typeof fileSchema.safeParse>;
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, ''));
    // Zod leaves out a field of this name, so the body would be another than the file says.
    if (namesIn(content).includes('__proto__')) return { faults: ['a field in it may not have the name __proto__'] };
    read = fileSchema.safeParse(content);
  } catch (error) {
    if (error instanceof RangeError) return { faults: ['the file has too many parts within each other'] };
    return {
      faults: [`the file ${error instanceof SyntaxError ? 'is no JSON' : `cannot be read: ${messageOf(error)}`}`],
    };
  }
  const { data, error } = read;
  if (error) {
    return { faults: error.issues.map(({ path: at, message }) => `${[...at, 'in it'].join(' ')}: ${message}`) };
  }
  const places = placesIn(data.body);
  const strange = places.filter((place) => !SESSION_PLACES.some((known) => known === place));
  const faults = strange.map(
    (place) => `body in it: there is no place \${${place}}; known are ${SESSION_PLACES.join(', ')}`,
  );
  if (namesIn(data.body).some((name) => name.match(PLACE)))
    faults.push('body in it: a place stands in the name of a field; places are filled only in the texts of fields');
  if (places.includes('return_url') && data.return_url === undefined)
    faults.push('return_url is missing in it, although its body has a place for return_url');
  if (faults.length > 0) return { faults };
  const { body, link, ends, return_url: returnUrl = '' } = data;
  return { session: { path: data.path, body, returnUrl, link, ends } };
}

/**
 * The call for hosted sessions, as the file describes it that SERVICE_SESSION_FILE names; undefined without that setting.
 *
 * @throws LimitlineError `SETTINGS` if the file was changed to a wrong one since the settings were read
 */
export function sessionOf(path: string | undefined): SessionCall | undefined {
  if (path === undefined) return undefined;
  const { session, faults = [] } = { session: undefined, ...readSessionFile(path) };
  if (session) return session;
  throw new LimitlineError('SETTINGS', `SERVICE_SESSION_FILE is ${path}, but ${faults.join('; ')}.`);
}

/** The names of the places `${name}` in a body, in its texts at any depth. */
export function placesIn(body: unknown): string[] {
  const found = new Set<string>();
  mapped(body, (text) => {
    for (const [, name = ''] of text.matchAll(PLACE)) found.add(name);
    return text;
  });
  return [...found];
}

/** The names of all fields in a JSON value, at any depth. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(namesIn)];
}

/**
 * The body with these values in its places. A value is data: it is written as it is into one text of the JSON, and a `${…}` in it is no
 * place. Pure.
 */
export function filledBody(
  body: SessionCall['body'],
  values: Readonly<Partial<Record<SessionPlace, string | undefined>>>,
): Record<string, unknown> {
  const fill = (text: string) => text.replace(PLACE, (_all, name: SessionPlace) => values[name] ?? '');
  return mapped(body, fill) as Record<string, unknown>;
}

/** A copy with each text changed; the names of fields stay. */
function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapped(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one, change)]));
}

/** Most characters of the text that says when a session ends: enough for a time in any form. */
const MOST_ENDS = 64;

/** Reads a 2xx answer. If its link is no URL, the answer is unreadable; if the end of the session is no short plain text, it is left out. */
export function readSessionAnswer(text: string, { link, ends }: Pick<SessionCall, 'link' | 'ends'>): Made {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return { is: 'unreadable', why: 'its body is not JSON' };
  }
  const found = valueAt(answer, link);
  if (!isSessionUrl(found))
    return { is: 'unreadable', why: 'there is no link where SERVICE_SESSION_FILE says that it stands' };
  const end = ends && valueAt(answer, ends);
  const words = typeof end === 'string' || typeof end === 'number' ? String(end) : '';
  const isPlain = /^[\x20-\x7e]+$/.test(words) && words.length <= MOST_ENDS;
  return { is: 'made', id: '', record: { link: found, ...(isPlain ? { ends: words } : {}) } };
}
