import { type CallKind, KINDS } from '../call-kind.ts';
import type { CallRecord } from '../outcome.ts';
import { differencesOf, differenceWords } from './agreement.ts';
import { isWebPage } from './web-page.ts';

/**
 * What the ledger keeps of a made object, as text; amounts exactly as in the answer. `record.differs` describes
 * differences from the request. `others` describes those that show that the answer belongs to another request.
 */
export type Made = { is: 'made'; id: string; record: CallRecord; others?: string } | { is: 'unreadable'; why: string };

/** The stored description of differences is cut to this length. */
const MOST_DIFFERS_CHARACTERS = 256;

/** For kinds without stored fields. One shared object, because there is one for each call. */
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
  if (kept.length === 0 && differences.length === 0) return { is: 'made', id, record: NO_RECORD };
  const record: Record<string, string> = {};
  for (const name of kept) {
    const value = textOf(fields, name, text);
    if (value !== undefined) record[name] = value;
  }
  if (differences.length === 0) return { is: 'made', id, record };
  record.differs = differenceWords(differences, MOST_DIFFERS_CHARACTERS);
  const others = differences.filter(({ isOthers }) => isOthers);
  return { is: 'made', id, record, ...(others.length > 0 ? { others: differenceWords(others) } : {}) };
}

type Fields = Record<string, unknown>;

/** A body without fields has no id either. */
function asFields(json: unknown): Fields {
  return typeof json === 'object' && json !== null ? (json as Fields) : {};
}

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
