import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { LimitlineError } from '../../errors.ts';
import { fileFault } from '../../files/disk.ts';
import { likeness } from '../../likeness.ts';
import { aliasOf } from './aliases.ts';
import type { Column } from './column.ts';
import { type ExtraField, isGroup, isPath, readExtraField } from './extra-fields.ts';
import { KNOWN_COLUMNS, type KnownColumn, ownNameOf } from './known-columns.ts';

const knownColumn = z.enum(KNOWN_COLUMNS);

const extraField = z.string().transform((text, context): ExtraField => {
  const read = readExtraField(text);
  if ('field' in read) return read.field;
  context.addIssue({ code: 'custom', message: read.fault });
  return z.NEVER;
});

/**
 * The meaning of a header: a known column, the path of a field that the service's document does not show, or null for a column of the
 * team's own.
 */
export type HeaderMeaning = KnownColumn | ExtraField | null;

/**
 * A mapping file: what each header means, and constants that every line gets. `guesses`
 * is what `--save-map` was not sure of: a person moves its entries to `columns`; by itself it has no effect.
 */
export const mappingSchema = z.strictObject({
  columns: eachHeader<HeaderMeaning>(knownColumn.nullable(), extraField).default({}),
  constants: z.partialRecord(knownColumn, z.string().trim().min(1)).default({}),
  guesses: eachHeader(knownColumn).optional(),
});

export type Mapping = z.output<typeof mappingSchema>;

/** @throws LimitlineError `FILE` when the file cannot be read or is no mapping. */
export async function readMapping(path: string): Promise<Mapping> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw fileFault(path, 'read', error);
  });
  try {
    return mappingSchema.parse(JSON.parse(text));
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const reason = issue ? `${issue.path.join('.')}: ${issue.message}` : 'it is not JSON';
    const message = `The mapping in ${path} cannot be used (${reason}): write {"columns": {"header in the file": "column of Limitline"}}, or have one written by check --save-map.`;
    throw new LimitlineError('FILE', message, { cause: error });
  }
}

/** Writes how the columns were understood. A person reviews the file and passes it with `--map` later. */
export async function saveMapping(path: string, columns: readonly Column[], constants: Mapping['constants']) {
  const named = columns.filter(({ written }) => written !== '');
  const guesses = named.flatMap(({ written, guess }) => (guess ? [[written, guess]] : []));
  const mapping = {
    columns: Object.fromEntries(named.map(({ written, known, extra }) => [written, known ?? extra ?? null])),
    constants,
    ...(guesses.length > 0 ? { guesses: Object.fromEntries(guesses) } : {}),
  };
  await writeFile(path, `${JSON.stringify(mapping, null, 2)}\n`).catch((error: unknown) => {
    throw fileFault(path, 'written', error);
  });
}

export type MappingEntry = { written: string; means: HeaderMeaning };

/** A mapping applied to one file's headers. */
export type MatchedMapping = {
  entryOf(header: string): MappingEntry | undefined;
  /** Entries without a header in this file, in the mapping's order. */
  unmatched: MappingEntry[];
};

/** Matches a mapping's entries with headers. An exact match comes before a similar one. Among similar entries, the first counts. */
export function matchMapping(
  headers: readonly string[],
  mapped: Readonly<Record<string, HeaderMeaning>>,
): MatchedMapping {
  const entries = Object.entries(mapped).map(([written, means]): MappingEntry => ({ written: written.trim(), means }));
  const equal = new Map(entries.map((entry) => [entry.written, entry]));
  const isThere = new Set(headers);
  const alike = new Map<string, MappingEntry>();
  for (const entry of entries) {
    const name = likeness(entry.written);
    // Names of signs only would all be similar to each other, so they match exactly or not at all.
    if (name !== '' && !isThere.has(entry.written) && !alike.has(name)) alike.set(name, entry);
  }
  const entryOf = (header: string) => equal.get(header) ?? alike.get(likeness(header));
  const used = new Set(headers.map(entryOf));
  return { entryOf, unmatched: entries.filter((entry) => !used.has(entry)) };
}

/**
 * The mapping from all `--map` arguments: mapping files, and `HEADER=column` for single headers, split at the last `=`.
 * `HEADER=company.address.postal_code` sends a field that the service's document does not show (`readExtraField`).
 * `HEADER=` and `HEADER=-` say that it is no known column. Single headers override files; later files override earlier
 * ones. Undefined without arguments.
 *
 * @throws LimitlineError `USAGE` for an unknown column or a contradiction; `FILE` for a file that cannot be used.
 */
export async function readMapArgs(args: readonly string[]): Promise<Mapping | undefined> {
  if (args.length === 0) return undefined;
  const mapping: Mapping = { columns: byHeader(), constants: {} };
  const pairs = byHeader();
  for (const arg of args) {
    const pair = pairOf(arg);
    if (pair === null) {
      const { columns, constants } = await readMapping(arg);
      Object.assign(mapping.columns, columns);
      Object.assign(mapping.constants, constants);
    } else {
      const [header, means] = pair;
      if (Object.hasOwn(pairs, header) && pairs[header] !== means) throw saidTwice(header);
      pairs[header] = means;
    }
  }
  Object.assign(mapping.columns, pairs);
  return mapping;
}

/**
 * The schema of a record with one entry for each header. Because zod's record drops the key `__proto__`, which may be a header, the entries
 * are copied into an object without a prototype.
 */
function eachHeader<Meaning extends HeaderMeaning>(meaning: z.ZodType<Meaning>, path?: z.ZodType<Meaning>) {
  const names = z.custom<object>(
    (given) => typeof given === 'object' && given !== null && !Array.isArray(given),
    'Invalid input: expected object',
  );
  return names.transform((given, context) => {
    const read: Record<string, Meaning> = Object.create(null);
    for (const [header, value] of Object.entries(given)) {
      const result = (
        path && typeof value === 'string' && (isPath(value) || isGroup(value)) ? path : meaning
      ).safeParse(value);
      if (result.success) read[header] = result.data;
      else context.addIssue({ code: 'custom', path: [header], message: result.error.issues[0]?.message });
    }
    return read;
  });
}

/** Parses `HEADER=column`; null for a file name, even if the existing file's name has a `=`. */
function pairOf(arg: string): [header: string, means: HeaderMeaning] | null {
  const at = arg.lastIndexOf('=');
  if (at === -1 || existsSync(arg)) return null;
  const [header, name] = [arg.slice(0, at).trim(), arg.slice(at + 1).trim()];
  if (header === '') {
    throw new LimitlineError('USAGE', `--map "${arg}" has no header before "=": write --map "Their header=name".`);
  }
  if (name === '' || name === '-') return [header, null];
  if (isPath(name) || isGroup(name)) {
    const read = readExtraField(name);
    if ('field' in read) return [header, read.field];
    throw new LimitlineError('USAGE', `--map "${arg}" names a field to which no column can be sent. ${read.fault}`);
  }
  const known = ownNameOf(name) ?? aliasOf(name);
  if (known) return [header, known];
  const message = `--map "${arg}" names an unknown column. Name one of ${KNOWN_COLUMNS.join(', ')}; or a field that the service's document does not show by its path, such as company.address.postal_code; or write --map "${header}=" if the header means none of them.`;
  throw new LimitlineError('USAGE', message);
}

function saidTwice(header: string): LimitlineError {
  return new LimitlineError('USAGE', `--map says two things about "${header}": keep one of them.`);
}

/** An empty record by header. It has no prototype, because a header may be called `__proto__`. */
const byHeader = (): Record<string, HeaderMeaning> => Object.create(null);
