import { visible } from '../problem.ts';
import { parseAmount } from '../values/amounts.ts';
import { readAnyText } from '../values/identifiers.ts';
import { readYesOrNo } from '../values/texts.ts';
import { COLUMNS, fieldOf, KNOWN_COLUMNS, type KnownColumn, type ReadBy, type ValueReader } from './known-columns.ts';

/**
 * A field that the service's document does not show and that a person maps a column to, as text: its path, from the body that it
 * belongs to, and its type where that is not text: `company.address.postal_code`, `buyer_limit.terms.days:number`.
 */
export type ExtraField = `${'company' | 'buyer_limit'}.${string}`;

/** The value of an extra field in the body, made from its cell. */
type ExtraValue = string | number | boolean;

/** An extra field of a line: where it stands and what is sent there. */
export type ExtraCell = { field: ExtraField; value: ExtraValue };

/** Whether a text begins as the path of a field in a body does. The rest of it may be invalid. */
export function isPath(text: string): text is ExtraField {
  return /^(company|buyer_limit)\./.test(text);
}

/** Whether a text names a group of fields of a body, and so none of its fields: `company`, `contact`, `buyer_limit.contact`. */
export function isGroup(text: string): boolean {
  return groupOf(text) !== undefined;
}

/** Reads a path. Answers the field in its canonical spelling, or why it cannot be sent. */
export function readExtraField(text: string): { field: ExtraField } | { fault: string } {
  const [path = '', type = 'text', ...rest] = text.split(':');
  const names = path.split('.');
  const group = groupOf(path);
  if (group !== undefined) return { fault: groupFault(path, group) };
  if (!isPath(text)) return { fault: `${text} begins with neither company. nor buyer_limit.: ${HOW}` };
  if (rest.length > 0 || !Object.hasOwn(READERS, type)) {
    const said = [type, ...rest].join(':');
    return { fault: `${path} has the type ${said}, and the types are text, number and yesno: ${HOW}` };
  }
  if (names.length > MOST_NAMES)
    return { fault: `${path} has ${names.length} names, and a path has at most ${MOST_NAMES}: write fewer.` };
  const odd = names.find((name) => !NAME.test(name));
  if (odd !== undefined) {
    const what = odd === '' ? 'has no name before or behind a point' : `has "${odd}", which is no name`;
    return {
      fault: `${path} ${what}: a name has up to 64 letters without accents, digits, - and _, and begins with a letter or _; ${HOW}`,
    };
  }
  const reserved = names.find((name) => RESERVED.has(name.toLowerCase()));
  if (reserved !== undefined)
    return { fault: `${path} has the name ${reserved}, which no field can have: write another name for the field.` };
  const lower = names.map((name) => name.toLowerCase());
  for (let count = 2; count <= names.length; count += 1) {
    const begun = lower.slice(0, count).join('.');
    if (OBJECTS.has(begun) && names.slice(0, count).join('.') !== begun) {
      return {
        fault: `${path} differs in capital letters from ${begun}, which the service's document shows: write ${begun}.`,
      };
    }
    if (SHOWN.has(begun)) return { fault: shownFault(path, begun) };
  }
  return { field: `${path}${type === 'text' ? '' : `:${type}`}` as ExtraField };
}

/** The path of the group that a text names, with or without its body's name. */
function groupOf(text: string): string | undefined {
  const name = text.toLowerCase().replace(/:.*$/s, '');
  return ['company', 'buyer_limit', ...OBJECTS].find((group) => group === name || group.endsWith(`.${name}`));
}

/** The problem that a column is mapped to a group of fields, with the group's columns and a path in it, which can be named instead. */
function groupFault(text: string, group: string): string {
  const columns = KNOWN_COLUMNS.filter((one) => `${placeOf(one)}.`.startsWith(`${group}.`));
  const path = group.startsWith('company') ? 'company.address.postal_code' : 'buyer_limit.contact.phone';
  return `${text} is a group of fields, and not a field itself: write one of its columns, ${columns.join(', ')}; or the path of a field that the service's document does not show, such as ${path}.`;
}

/** The path of the object in which a column's value is sent. */
const placeOf = (column: KnownColumn): string | undefined => COLUMNS[column].in?.replace('limit', 'buyer_limit');

/** The problem of a path at or below a field that the service's document shows: why it cannot be sent, and what to write instead. */
function shownFault(path: string, shown: string): string {
  if (path.toLowerCase() !== shown)
    return `${path} lies in ${shown}, which the service's document shows as one value: write a path that does not begin with ${shown}.`;
  const column = KNOWN_COLUMNS.find((one) => `${placeOf(one)}.${fieldOf(one)}` === shown);
  const own = OWN[shown] ?? column;
  return own === undefined
    ? `${path} is given by the service or by Limitline: no column can be sent there. Write another path, or none.`
    : `${path} has a column of its own: write ${own} in place of the path.`;
}

/** Fields that the service's document shows and that no column fills directly, each with the column by which a person gives its value. */
const OWN: Readonly<Record<string, KnownColumn>> = {
  'company.id': 'company_id',
  'buyer_limit.company': 'company_id',
  'buyer_limit.supporting_documents': 'supporting_documents',
};

/**
 * The header of an extra field in an errors file. It always has the type: a path without one is a column of the team's own there, since
 * older versions wrote such columns as they were named.
 */
export function headerOfExtra(field: ExtraField): ExtraField {
  return field.includes(':') ? field : `${field}:text`;
}

/** The field that an errors file's header names; undefined for a column of the team's own. */
export function extraOfHeader(header: string): ExtraField | undefined {
  const read = isPath(header) && header.includes(':') ? readExtraField(header) : undefined;
  return read && 'field' in read ? read.field : undefined;
}

/** The reader of an extra field's cells, which gives canonical text. */
export function readerOfExtra(field: ExtraField): ValueReader | undefined {
  return READERS[typeOf(field)];
}

/** The value that is sent for a cell of an extra field, from the cell's canonical text. */
export function extraValue(field: ExtraField, text: string): ExtraValue {
  const type = typeOf(field);
  return type === 'number' ? Number(text) : type === 'yesno' ? text === 'yes' : text;
}

/** The names of a path below its body, such as `address`, `postal_code`. */
function namesOfExtra(field: ExtraField): string[] {
  return (field.split(':')[0] ?? '').split('.').slice(1);
}

/** Adds to a body those extra fields of a line that belong to it, after the fields that the body has. */
export function addExtras(
  body: Record<string, unknown>,
  of: 'company' | 'buyer_limit',
  extras: readonly ExtraCell[],
): void {
  // The fields have one order, whatever that of the columns. So a line makes the same request when another export has its columns in
  // another order.
  for (const { field, value } of [...extras].sort((one, other) => (one.field < other.field ? -1 : 1))) {
    if (!field.startsWith(`${of}.`)) continue;
    const names = namesOfExtra(field);
    let place = body;
    for (const name of names.slice(0, -1)) {
      if (!Object.hasOwn(place, name)) place[name] = {};
      place = place[name] as Record<string, unknown>;
    }
    place[names.at(-1) ?? ''] = value;
  }
}

/**
 * The fields of a body that the service's document shows, by their last names. Extra fields are left out, since they may have the same last
 * names.
 */
export function shownIn(of: string, body: object = {}): [name: string, value: unknown][] {
  return Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    const path = `${of}.${name}`;
    if (OBJECTS.has(path)) return shownIn(path, Object(value));
    return SHOWN.has(path) ? [[name, value]] : [];
  });
}

/** A copy of a body in which `change` was applied to the value of each extra field. */
export function changeExtras(of: string, body: object, change: (value: unknown) => unknown): Record<string, unknown> {
  const fields = Object.entries(body).map(([name, value]) => {
    const path = `${of}.${name}`;
    if (SHOWN.has(path) || value === null) return [name, value];
    return [name, OBJECTS.has(path) ? changeExtras(path, value, change) : change(value)];
  });
  return Object.fromEntries(fields);
}

/** The extra fields in a body that the ledger kept, in the order of their paths, each with the text that its cell would have. */
export function extrasIn(of: string, body: object = {}): { field: ExtraField; text: string }[] {
  return Object.entries(body).flatMap(([name, value]: [string, unknown]) => {
    const path = `${of}.${name}` as ExtraField;
    if (typeof value === 'object' && value !== null) return SHOWN.has(path) ? [] : extrasIn(path, value);
    if (SHOWN.has(path) || value === null) return [];
    if (typeof value === 'boolean') return [{ field: `${path}:yesno`, text: value ? 'yes' : 'no' }];
    // As a cell's text `1.234` is ambiguous, so the number gets a further zero: `1.2340`.
    const text = String(value).replace(/^(-?\d{1,3}\.\d{3})$/, typeof value === 'number' ? '$10' : '$1');
    return [{ field: typeof value === 'number' ? `${path}:number` : path, text }];
  });
}

/**
 * Makes a function that answers, for a field, an earlier field with which it cannot be sent together, if there is one. Two fields clash if
 * they have the same path, if one is a value where the other needs an object, or if their objects' names differ only in case. The function
 * remembers each field that it was asked about.
 */
export function makeExtraClashes(): (field: ExtraField) => ExtraField | undefined {
  const values = new Map<string, ExtraField>();
  const parents = new Map<string, ExtraField>();
  return (field) => {
    const path = (field.split(':')[0] ?? '').toLowerCase();
    const above = [...path.matchAll(/\./g)].map(({ index }) => path.slice(0, index));
    const otherCase = (one: string) =>
      parents.get(one)?.startsWith(`${field.slice(0, one.length)}.`) ? undefined : parents.get(one);
    const other =
      values.get(path) ?? parents.get(path) ?? above.map((one) => values.get(one) ?? otherCase(one)).find(Boolean);
    values.set(path, field);
    for (const one of above) parents.set(one, field);
    return other;
  };
}

/** The extra fields of a file's columns that clash with each other. A file with any is refused. */
export function clashingExtras(columns: readonly { extra?: ExtraField | '' | undefined }[]): ReadonlySet<string> {
  const clashOf = makeExtraClashes();
  return new Set(
    columns.flatMap(({ extra }) => {
      const other = extra ? clashOf(extra) : undefined;
      return other && extra ? [other, extra] : [];
    }),
  );
}

/** A list of one sentence, which names the columns that are sent by a path; an empty list if there are none. */
export function sentByPathWords(
  columns: readonly { written: string; extra?: ExtraField | '' | undefined }[],
): string[] {
  const refused = clashingExtras(columns);
  const sent = columns.flatMap(({ written, extra }) =>
    extra && !refused.has(extra) ? [`${visible(written)} as ${extra}`] : [],
  );
  return sent.length === 0
    ? []
    : [`Sent, although the service's document does not show these fields: ${sent.join(', ')}.`];
}

const HOW = 'write it like company.address.postal_code, with :number or :yesno behind it if it is not sent as text.';

/** One name of a path. It does not begin with a digit, which would look like a place in a list. */
const NAME = /^[A-Za-z_][\w-]{0,63}$/;

/** Most names of a path: more levels than any body in the service's document has, and fewer than a JSON reader refuses. */
const MOST_NAMES = 8;

/** Names that JavaScript's objects have by themselves, so that no field may have them. */
const RESERVED = new Set(['__proto__', 'prototype', 'constructor']);

/**
 * Fields that the service's document shows (docs/service.md), sent or answered. `contact.phone` is only answered; whether it can be sent is
 * not shown.
 */
const SHOWN = new Set(
  Object.entries({
    company: 'id object name website buyer_limit contacts created',
    'company.address': 'country_code city street state',
    buyer_limit:
      'id object company business_information_source business_information_id company_registration_number requested_limit total_limit available_limit status supporting_documents created',
    'buyer_limit.contact': 'first_name last_name email',
  }).flatMap(([object, names]) => names.split(' ').map((name) => `${object}.${name}`)),
);

/** Objects that the service's document shows: fields can be added to them, but nothing can be sent in their place. */
const OBJECTS = new Set(['company.address', 'buyer_limit.contact']);

const READERS: Readonly<Record<string, ValueReader | undefined>> = {
  text: readAnyText,
  number: readNumber,
  yesno: readYesOrNo,
};

const typeOf = (field: ExtraField): string => field.split(':')[1] ?? 'text';

/**
 * Reads a number as an amount is read, but also zero and negative ones. The text `1.234` is always a problem, even if the column of amounts
 * shows its convention: the same line must be read alike in another file.
 */
function readNumber(text: string, _by: ReadBy, isNumber?: boolean): ReturnType<ValueReader> {
  if (/^[-+]?0+([.,]0+)?$/.test(text)) return { value: '0' };
  if (/^[-+\u2212]?0\d/.test(text)) return { problem: LEADING_ZERO };
  const [, sign = '', digits = ''] = /^([-\u2212]?)(.*)$/s.exec(text) ?? [];
  const reading = parseAmount(digits, isNumber ? '.' : null);
  if ('problem' in reading) return { problem: NO_NUMBER };
  return sign === '' ? reading : { ...reading, value: `-${reading.value}` };
}

const LEADING_ZERO =
  'As a number this would lose the zero at its beginning: write the path without :number, so that it is sent as text.';
const NO_NUMBER =
  'This is not a number, or may mean two different numbers: write digits with a decimal point and no other separators, such as 1234 or 1234.50.';
