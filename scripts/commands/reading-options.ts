import { type Command, Option } from 'commander';
import { delimiterNamed, encodingNamed } from '../../src/portfolio/dialect.ts';
import { readMapping } from '../../src/portfolio/mapping.ts';
import type { ReadOptions } from '../../src/portfolio/read-options.ts';
import { linesNamed } from './named-lines.ts';

/** What `check`, `run` and `import` are told of how to read a file. */
export type ReadingWords = {
  encoding?: string;
  delimiter?: string;
  sheet?: string;
  map?: string;
  decimal?: keyof typeof DECIMALS;
  dates?: 'dmy' | 'mdy';
  sameBuyer?: string[];
};

const SAME_BUYER =
  'a line, or lines such as 12-15, that mean the buyer which their identifiers point to, whatever its name (repeatable)';

const DECIMALS = { point: '.', comma: ',' } as const;

/** Adds the options by which a file is read where it does not say itself how. */
export function withReadingOptions(command: Command): Command {
  const decimal = new Option('--decimal <sign>', 'what marks decimals in amounts (default: found from the column)');
  const dates = new Option('--dates <order>', 'what comes first in dates like 05/04/2026 (default: found likewise)');
  return command
    .option('--encoding <name>', 'encoding of the file, such as shift_jis or gb18030 (default: found from the file)')
    .option('--delimiter <sign>', 'comma, semicolon, tab or pipe (default: found from the file)')
    .option('--sheet <name>', 'which sheet of an Excel workbook (default: the first)')
    .option('--map <file>', 'a JSON file that says which column is which, and what every line has (check --save-map)')
    .option('--same-buyer <line>', SAME_BUYER, (line: string, others: string[] = []) => [...others, line])
    .addOption(decimal.choices(Object.keys(DECIMALS)))
    .addOption(dates.choices(['dmy', 'mdy']));
}

/** @throws LimitlineError `USAGE` for a word that cannot be meant, `FILE` for a mapping that cannot be used. */
export async function readOptionsOf(words: ReadingWords): Promise<ReadOptions> {
  const { encoding, delimiter, sheet, map, decimal, dates, sameBuyer } = words;
  return {
    ...(sheet === undefined ? {} : { sheet }),
    ...(encoding === undefined ? {} : { encoding: encodingNamed(encoding) }),
    ...(delimiter === undefined ? {} : { delimiter: delimiterNamed(delimiter) }),
    ...(map === undefined ? {} : { mapping: await readMapping(map) }),
    ...(decimal === undefined ? {} : { decimal: DECIMALS[decimal] }),
    ...(dates === undefined ? {} : { dates }),
    ...(sameBuyer === undefined ? {} : { sameBuyer: linesNamed('--same-buyer', sameBuyer) }),
  };
}
