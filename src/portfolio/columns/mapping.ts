import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { LimitlineError } from '../../errors.ts';
import { fileFault } from '../../files/file-fault.ts';
import type { Column } from './column.ts';
import { KNOWN_COLUMNS, type KnownColumn } from './known-columns.ts';

const knownColumn = z.enum(KNOWN_COLUMNS);

/**
 * A mapping file: a known column for each header (null: the team's own), and constants that every line gets. `guesses`
 * is what `--save-map` was not sure of: a person moves its entries to `columns`; by itself it has no effect.
 */
export const mappingSchema = z.strictObject({
  columns: byHeader(knownColumn.nullable()).default({}),
  constants: z.partialRecord(knownColumn, z.string().trim().min(1)).default({}),
  guesses: byHeader(knownColumn).optional(),
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
    const message = `The mapping in ${path} cannot be used (${reason}): write {"columns": {"their header": "our column"}}, or have one written by check --save-map.`;
    throw new LimitlineError('FILE', message, { cause: error });
  }
}

/** Writes how the columns were understood. A person reviews the file and passes it with `--map` later. */
export async function saveMapping(path: string, columns: readonly Column[], constants: Mapping['constants']) {
  const named = columns.filter(({ written }) => written !== '');
  const guesses = named.flatMap(({ written, guess }) => (guess ? [[written, guess]] : []));
  const mapping = {
    columns: Object.fromEntries(named.map(({ written, known }) => [written, known])),
    constants,
    ...(guesses.length > 0 ? { guesses: Object.fromEntries(guesses) } : {}),
  };
  await writeFile(path, `${JSON.stringify(mapping, null, 2)}\n`).catch((error: unknown) => {
    throw fileFault(path, 'written', error);
  });
}

/**
 * An entry for each header. Because zod's record drops the key `__proto__`, which may be a header, the entries are
 * copied into an object without a prototype.
 */
function byHeader<Meaning extends KnownColumn | null>(meaning: z.ZodType<Meaning>) {
  const names = z.custom<object>(
    (given) => typeof given === 'object' && given !== null && !Array.isArray(given),
    'Invalid input: expected object',
  );
  return names.transform((given, context) => {
    const read: Record<string, Meaning> = Object.create(null);
    for (const [header, value] of Object.entries(given)) {
      const result = meaning.safeParse(value);
      if (result.success) read[header] = result.data;
      else context.addIssue({ code: 'custom', path: [header], message: result.error.issues[0]?.message });
    }
    return read;
  });
}
