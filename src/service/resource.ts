import { type CallKind, KINDS } from '../call-kind.ts';
import type { CallRecord } from '../outcome.ts';
import { differencesOf, differenceWords } from './agreement.ts';
import { isWebPage } from './web-page.ts';

/**
 * What the ledger keeps of a thing that was made, as text; amounts exactly as the service wrote them. `differs` of the record says what
 * was answered otherwise than it was sent; `others` says the same of what makes it the answer to somebody else's request.
 */
export type Made = { is: 'made'; id: string; record: CallRecord; others?: string } | { is: 'unreadable'; why: string };

/** What is kept of the differences between an answer and what was sent. */
const MOST_DIFFERS_CHARACTERS = 256;

/** Of the others nothing is kept; one for all, since there are as many of them as calls. */
const NO_RECORD: CallRecord = Object.freeze({});

const A_WEB_PAGE = 'its body is a web page: check that SERVICE_URL is the address of the service';

/**
 * Reads the body of a 2xx answer. Only the id decides: without one in our hands nothing counts as made.
 *
 * It reads as the schemas say (a test holds it against them), but by hand, and asks for a number's digits only where one is
 * kept: checking every field, and telling a function of each, took six times as long, for every call.
 *
 * @param sent the body of the request, with which the answer is compared; an uploaded document has none
 */
export function readMade(kind: CallKind, text: string, sent: Readonly<Record<string, unknown>> = {}): Made {
  let fields: Fields;
  try {
    fields = asFields(JSON.parse(text));
  } catch {
    return { is: 'unreadable', why: isWebPage(text) ? A_WEB_PAGE : 'its body is not JSON' };
  }
  const id = textOf(fields, 'id', text);
  // docs/service.md, "Ids": an id goes on behind its prefix, where one is shown.
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

/** What has no fields has no id either. */
function asFields(json: unknown): Fields {
  return typeof json === 'object' && json !== null ? (json as Fields) : {};
}

/** A field as text. A number keeps the digits that stand in the answer; a float in between could change an amount. */
function textOf(fields: Fields, name: string, text: string): string | undefined {
  const value = fields[name];
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? digitsOf(name, text) : undefined;
}

/** A number as JSON writes it, behind the name of its field. */
const NUMBER = /\s*:\s*([-+.\deE]+)/y;

/** The digits of a field of the answer that is a number. */
function digitsOf(name: string, text: string): string | undefined {
  const quoted = `"${name}"`;
  const at = text.indexOf(quoted);
  // Where nothing is escaped, a name that stands there once is this field's; else JSON.parse says which it is.
  if (text.lastIndexOf(quoted) === at && !text.includes('\\')) {
    NUMBER.lastIndex = at + quoted.length;
    return NUMBER.exec(text)?.[1];
  }
  return JSON.parse(text, numbersAsText)[name];
}

function numbersAsText(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}
