import { type Command, InvalidArgumentError, Option } from 'commander';
import { readMapArgs } from '../../src/portfolio/columns/map-args.ts';
import type { ReadOptions } from '../../src/portfolio/read-options.ts';
import { delimiterNamed, encodingNamed } from '../../src/table/dialect.ts';
import { linesNamed } from './named-lines.ts';

/** What `check`, `run` and `import` are told of how to read a file. */
export type ReadingWords = {
  encoding?: string;
  delimiter?: string;
  sheet?: string;
  headerLine?: number;
  map?: string[];
  decimal?: keyof typeof DECIMALS;
  dates?: 'dmy' | 'mdy';
  hiddenRows?: true;
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
    .option('--encoding <name>', 'encoding of the file, such as cp850 or shift_jis (default: found from the file)')
    .option('--delimiter <sign>', 'comma, semicolon, tab or pipe (default: found from the file)')
    .option('--sheet <name>', 'which sheet of an Excel workbook (default: the first that is visible)')
    .option('--hidden-rows', 'take rows of a sheet that are hidden, by hand or by a filter, as well')
    .option('--header-line <n>', 'the line with the columns’ names (default: found within the first 20)', headerLine)
    .option(
      '--map <header=column>',
      'which column of ours a header means, "HEADER=" if none; or a JSON file of that (check --save-map); repeatable',
      collect,
    )
    .option('--same-buyer <line>', SAME_BUYER, collect)
    .addOption(decimal.choices(Object.keys(DECIMALS)))
    .addOption(dates.choices(['dmy', 'mdy']));
}

/** @throws LimitlineError `USAGE` for a word that cannot be meant, `FILE` for a mapping that cannot be used. */
export async function readOptionsOf(words: ReadingWords): Promise<ReadOptions> {
  const { encoding, delimiter, sheet, headerLine, map = [], decimal, dates, hiddenRows, sameBuyer } = words;
  const mapping = await readMapArgs(map);
  return {
    ...(sheet === undefined ? {} : { sheet }),
    ...(encoding === undefined ? {} : { encoding: encodingNamed(encoding) }),
    ...(delimiter === undefined ? {} : { delimiter: delimiterNamed(delimiter) }),
    ...(headerLine === undefined ? {} : { headerLine }),
    ...(mapping === undefined ? {} : { mapping }),
    ...(decimal === undefined ? {} : { decimal: DECIMALS[decimal] }),
    ...(dates === undefined ? {} : { dates }),
    ...(hiddenRows === undefined ? {} : { hiddenRows }),
    ...(sameBuyer === undefined ? {} : { sameBuyer: linesNamed('--same-buyer', sameBuyer) }),
  };
}

function headerLine(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('Give the number of a line, 1 or more.');
  return Number(text);
}

function collect(word: string, earlier: string[] = []): string[] {
  return [...earlier, word];
}
