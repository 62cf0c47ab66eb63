import { createHash } from 'node:crypto';
import { z } from 'zod';
import { DELIMITERS, type Dialect } from '../table/dialect.ts';
import { COLUMNS, type KnownColumn } from './columns/known-columns.ts';
import { mappingSchema } from './columns/mapping.ts';

/**
 * A person's choices of how to read a file. Omitted options are detected from the file. They are stored with the
 * import: results are written from a second reading of the copy, which must give the same lines.
 */
export const readOptionsSchema = z.object({
  encoding: z.string().optional(),
  delimiter: z.enum(DELIMITERS).optional(),
  sheet: z.string().optional(),
  /** The physical line of the header, or the row of a sheet. */
  headerLine: z.int().min(1).optional(),
  mapping: mappingSchema.optional(),
  /** The decimal separator of all amounts, where the column does not decide it. */
  decimal: z.enum(['.', ',']).optional(),
  /** Whether day or month comes first in dates like 05/04/2026. */
  dates: z.enum(['dmy', 'mdy']).optional(),
  /** Whether to include rows that are hidden in a sheet. Otherwise each hidden row is a problem. */
  hiddenRows: z.boolean().optional(),
  /** Lines that mean the buyer of their identifiers even if the name differs, as a person confirmed. */
  sameBuyer: z.array(z.int()).optional(),
});

export type ReadOptions = z.output<typeof readOptionsSchema>;

/**
 * The chosen options, completed with what was detected. With them, a later version of Limitline reads the file in the
 * same way, even if it would detect something else.
 */
export function readingFound(
  said: ReadOptions,
  { dialect, headerLine }: { dialect: Dialect; headerLine: number | null },
): ReadOptions {
  const { encoding, delimiter, sheet } = dialect;
  const found = sheet === undefined ? { encoding, delimiter } : { sheet };
  return { ...said, ...found, ...(headerLine === null ? {} : { headerLine }) };
}

/** The form of a file: a digest of its header's names, in order. */
export function formOf(header: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(header)).digest('hex').slice(0, 32);
}

/** Options kept for other files: nothing about single lines, and no constants of columns that differ by line. */
export function lastingOf({ sameBuyer: _lines, mapping, ...others }: ReadOptions): ReadOptions {
  const constants = Object.entries(mapping?.constants ?? {}).filter(([name]) => !COLUMNS[name as KnownColumn].isOfLine);
  const columns = mapping?.columns ?? {};
  if (constants.length + Object.keys(columns).length === 0) return others;
  return { ...others, mapping: { columns, constants: Object.fromEntries(constants) } };
}

/** Describes the options, most important first: `country_code always DE; decimal ,; columns Firma as name`. */
export function readingWords({ mapping, ...rest }: ReadOptions): string {
  const constants = Object.entries(mapping?.constants ?? {}).map(([known, value]) => `${known} always ${value}`);
  const others = Object.entries(rest).map(([option, value]) => `${option} ${value}`);
  const columns = Object.entries(mapping?.columns ?? {}).sort(([, one], [, other]) => (one ? 0 : 1) - (other ? 0 : 1));
  const words = columns.map(([header, known]) => `${header} as ${known ?? 'none'}`);
  return [...constants, ...others, ...(words.length > 0 ? [`columns ${words.join(', ')}`] : [])].join('; ');
}
