import { z } from 'zod';
import { DELIMITERS, type Dialect } from '../table/dialect.ts';
import { COLUMNS, type KnownColumn } from './columns/known-columns.ts';
import { mappingSchema } from './columns/mapping.ts';

/**
 * What a person says of how a file is to be read; what is left out is found from the file. It is kept beside an import,
 * since the copy is read again, and must be read alike, whenever results are written.
 */
export const readOptionsSchema = z.object({
  encoding: z.string().optional(),
  delimiter: z.enum(DELIMITERS).optional(),
  sheet: z.string().optional(),
  /** The physical line of the header, or the row of a sheet. */
  headerLine: z.int().min(1).optional(),
  mapping: mappingSchema.optional(),
  /** What marks the decimals of every amount, where the column leaves it open. */
  decimal: z.enum(['.', ',']).optional(),
  /** Whether day or month comes first in dates like 05/04/2026. */
  dates: z.enum(['dmy', 'mdy']).optional(),
  /** Whether rows that are hidden in a sheet are taken too; otherwise each is a problem. */
  hiddenRows: z.boolean().optional(),
  /** Lines of which a person says that they mean the buyer which their identifiers point to, whatever its name. */
  sameBuyer: z.array(z.int()).optional(),
});

export type ReadOptions = z.output<typeof readOptionsSchema>;

/**
 * What was said, and what was found where nothing was: with it a file is read alike again, whatever a later version of ours
 * would find in it.
 */
export function readingFound(
  said: ReadOptions,
  { dialect, headerLine }: { dialect: Dialect; headerLine: number | null },
): ReadOptions {
  const { encoding, delimiter, sheet } = dialect;
  const found = sheet === undefined ? { encoding, delimiter } : { sheet };
  return { ...said, ...found, ...(headerLine === null ? {} : { headerLine }) };
}

/** What of a reading is kept for other files: nothing that is said of single lines, nor of all lines what is each line's own. */
export function lastingOf({ sameBuyer: _lines, mapping, ...others }: ReadOptions): ReadOptions {
  const constants = Object.entries(mapping?.constants ?? {}).filter(([name]) => !COLUMNS[name as KnownColumn].isOfLine);
  const columns = mapping?.columns ?? {};
  if (constants.length + Object.keys(columns).length === 0) return others;
  return { ...others, mapping: { columns, constants: Object.fromEntries(constants) } };
}

/** `country_code always DE; decimal ,; columns Firma as name, Betrag as requested_limit, Kto as none`: what weighs most first. */
export function readingWords({ mapping, ...rest }: ReadOptions): string {
  const constants = Object.entries(mapping?.constants ?? {}).map(([known, value]) => `${known} always ${value}`);
  const others = Object.entries(rest).map(([option, value]) => `${option} ${value}`);
  const columns = Object.entries(mapping?.columns ?? {}).sort(([, one], [, other]) => (one ? 0 : 1) - (other ? 0 : 1));
  const words = columns.map(([header, known]) => `${header} as ${known ?? 'none'}`);
  return [...constants, ...others, ...(words.length > 0 ? [`columns ${words.join(', ')}`] : [])].join('; ');
}
