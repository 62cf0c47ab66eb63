import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { LimitlineError } from '../errors.ts';
import { type Column, KNOWN_COLUMNS } from './columns.ts';
import { fileFault } from './file-fault.ts';

const knownColumn = z.enum(KNOWN_COLUMNS);

/**
 * What a mapping file says: for headers, the column of ours that is meant (null: none, it is the team's own), and for
 * columns of ours, what they are on every line. `guesses` is what `--save-map` could not tell for certain; it is for a
 * person to move, and does nothing.
 */
export const mappingSchema = z.strictObject({
  columns: z.record(z.string(), knownColumn.nullable()).default({}),
  constants: z.partialRecord(knownColumn, z.string().trim().min(1)).default({}),
  guesses: z.record(z.string(), knownColumn).optional(),
});

export type Mapping = z.output<typeof mappingSchema>;

/** @throws LimitlineError `FILE` when it cannot be read or is no mapping. */
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

/** Writes how these columns were understood, to be looked through and given with `--map` from then on. */
export async function saveMapping(path: string, columns: readonly Column[], constants: Mapping['constants']) {
  const mapping: Mapping = { columns: {}, constants };
  for (const { written, known, guess } of columns) {
    if (written === '') continue;
    mapping.columns[written] = known;
    if (guess) mapping.guesses = { ...mapping.guesses, [written]: guess };
  }
  await writeFile(path, `${JSON.stringify(mapping, null, 2)}\n`).catch((error: unknown) => {
    throw fileFault(path, 'written', error);
  });
}
