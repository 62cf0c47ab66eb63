import { Big } from 'big.js';
import { type CallKind, type CallRecord, KINDS } from '../call-kind.ts';
import { cutText } from '../cut-text.ts';
import { isWebPage } from '../web-page.ts';

/**
 * What the ledger keeps of a made object, as text; amounts exactly as in the answer. `record.differs` describes differences from the
 * request, `record.besides` has fields that the service's document does not name. `others` describes those that show that the answer
 * belongs to another request.
 */
export type Made = { is: 'made'; id: string; record: CallRecord; others?: string } | { is: 'unreadable'; why: string };

/** Most characters of the stored description of differences; a longer one is cut. */
const MOST_DIFFERS_CHARACTERS = 256;

/** The record of a kind without stored fields. All such calls share this object, since there is one for each call. */
const NO_RECORD: CallRecord = Object.freeze({});

const A_WEB_PAGE = 'its body is a web page: check that SERVICE_URL is the address of the service';

/**
 * Reads the body of a 2xx answer. Without an id, nothing counts as made.
 *
 * It follows the schemas (a test compares both), but reads by hand, and extracts exact digits only for stored numbers.
 * Checking every field took six times as long for every call.
 *
 * @param sent the request's body, for comparison; an uploaded document has none
 */
export function readMade(kind: CallKind, text: string, sent: Readonly<Record<string, unknown>> = {}): Made {
  let fields: Fields;
  try {
    fields = asFields(JSON.parse(text));
  } catch {
    return { is: 'unreadable', why: isWebPage(text) ? A_WEB_PAGE : 'its body is not JSON' };
  }
  const id = textOf(fields, 'id', text);
  // docs/service.md, "Ids": an id is longer than its prefix, where one is documented.
  const { prefix, kept } = KINDS[kind];
  if (!id?.startsWith(prefix) || id.length === prefix.length) {
    return { is: 'unreadable', why: `its body has no id of a ${kind}` };
  }
  const differences = differencesOf(kind, sent, fields, (name) => textOf(fields, name, text));
  const besides = besidesOf(kind, fields, sent, text);
  if (kept.length === 0 && differences.length === 0 && besides === '') return { is: 'made', id, record: NO_RECORD };
  const record: Record<string, string> = {};
  for (const name of kept) {
    const value = textOf(fields, name, text);
    if (value !== undefined) record[name] = value;
  }
  if (besides !== '') record.besides = besides;
  if (differences.length === 0) return { is: 'made', id, record };
  record.differs = differenceWords(differences, MOST_DIFFERS_CHARACTERS);
  const others = differences.filter(({ isOthers }) => isOthers);
  return { is: 'made', id, record, ...(others.length > 0 ? { others: differenceWords(others) } : {}) };
}

/** Bytes that are kept of fields in an answer which the service's document does not name: enough for a person to see what it says. */
const MOST_BESIDES_BYTES = 256;

/**
 * The fields of each thing in an answer (docs/service.md, "Company" and "Buyer limit request"). The document does not show the fields of an
 * uploaded document; listed for it are the fields that companies and limits have, its purpose, and what was sent of its file.
 */
const NAMED: Readonly<Record<CallKind, readonly string[]>> = {
  company: 'id object name address website buyer_limit contacts created'.split(' '),
  document: 'id object purpose file_name filename name media_type size size_bytes sha256 created'.split(' '),
  limit:
    'id object company business_information_source business_information_id company_registration_number requested_limit total_limit available_limit status contact supporting_documents created'.split(
      ' ',
    ),
};

/**
 * The answer's fields that are neither named by the service's document nor sent, as JSON with the answer's digits, cut to 256 bytes; ''
 * without any.
 */
function besidesOf(kind: CallKind, fields: Fields, sent: Body, text: string): string {
  const isOther = (name: string) => !NAMED[kind].includes(name) && !Object.hasOwn(sent, name);
  if (!Object.keys(fields).some(isOther)) return '';
  const others = Object.entries(JSON.parse(text, numbersAsWritten)).filter(([name]) => isOther(name));
  const bytes = Buffer.from(JSON.stringify(Object.fromEntries(others)));
  return new TextDecoder().decode(bytes.subarray(0, MOST_BESIDES_BYTES), { stream: true });
}

/**
 * A field in which an answer differs from the request. `isOthers`: the answer belongs to another request, because a
 * limit names another company or amount (docs/service.md, "Buyer limit request").
 */
type Difference = { field: string; sent: string; answered: string; isOthers: boolean };

type Body = Readonly<Record<string, unknown>>;

/**
 * Compares an answer with the request's body, field by field. A missing or null field is no difference: an id alone suffices. Numbers are
 * compared as decimals, also against text. Lists are skipped, because their form in answers is unknown. Pure.
 *
 * @param textOf the exact digits of a number in the answer, by its field name
 */
export function differencesOf(
  kind: CallKind,
  sent: Body,
  answered: Body,
  textOf: (name: string) => string | undefined,
): Difference[] {
  const found: Difference[] = [];
  compare('', sent, answered);
  return found;

  function compare(path: string, of: Body, its: Body): void {
    for (const [name, value] of Object.entries(of)) {
      // A field may bear a name that every object knows, such as toString.
      const other = Object.hasOwn(its, name) ? its[name] : undefined;
      if (other === value || other === undefined || other === null || Array.isArray(value)) continue;
      const field = `${path}${name}`;
      if (isBody(value)) {
        if (isBody(other)) compare(`${field}.`, value, other);
        continue;
      }
      const says = typeof other === 'number' ? (textOf(name) ?? String(other)) : shown(other);
      if (typeof value === 'number' && isSameDecimal(value, says)) continue;
      const isOthers = (KINDS[kind].deciding as readonly string[]).includes(field);
      found.push({ field, sent: shown(value), answered: says, isOthers });
    }
  }
}

function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function isSameDecimal(sent: number, answered: string): boolean {
  try {
    return new Big(sent).eq(answered);
  } catch {
    return false;
  }
}

/** Most characters of a value in the description of a difference: enough to see it. */
const KEPT_CHARACTERS = 80;

/**
 * The fields whose values the description of a difference may contain. Others may be personal, such as contacts and fields that a person
 * maps, and the description is also shown to people who may not see those.
 */
const TOLD =
  /^(?:company|requested_limit|business_information_(?:source|id)|company_registration_number|name|website|address\.(?:country_code|city|street|state))$/;

/** Describes differences, cut to `most` characters: `its requested_limit is 1, where 3000 was sent`. */
export function differenceWords(differences: readonly Difference[], most = Number.POSITIVE_INFINITY): string {
  const words = differences.map(({ field, sent, answered }) =>
    TOLD.test(field)
      ? `its ${field} is ${cutText(answered, KEPT_CHARACTERS)}, where ${cutText(sent, KEPT_CHARACTERS)} was sent`
      : `its ${field} differs from what was sent`,
  );
  return cutText(words.join('; '), most);
}

type Fields = Record<string, unknown>;

/** The fields of a body. A body that is no object has none, and so no id either. */
const asFields = (json: unknown): Fields => (typeof json === 'object' && json !== null ? (json as Fields) : {});

/** A field as text. A number keeps the answer's digits; a float could change an amount. */
function textOf(fields: Fields, name: string, text: string): string | undefined {
  const value = fields[name];
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? digitsOf(name, text) : undefined;
}

/** A JSON number after its field's name. */
const NUMBER = /\s*:\s*([-+.\deE]+)/y;

/** The exact digits of a number in the answer. */
function digitsOf(name: string, text: string): string | undefined {
  const quoted = `"${name}"`;
  const at = text.indexOf(quoted);
  // Without escapes, a name that occurs once must be this field's. Otherwise JSON.parse finds the field.
  if (text.lastIndexOf(quoted) === at && !text.includes('\\')) {
    NUMBER.lastIndex = at + quoted.length;
    return NUMBER.exec(text)?.[1];
  }
  return JSON.parse(text, numbersAsText)[name];
}

function numbersAsText(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}

/** `JSON.rawJSON` is typed here, since TypeScript's library lacks this part of ECMAScript 2026. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

function numbersAsWritten(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? rawJSON(context?.source ?? String(value)) : value;
}
