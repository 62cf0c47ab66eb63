import type { Command } from 'commander';
import { delimiterNamed, encodingNamed } from '../../src/portfolio/dialect.ts';
import type { ReadOptions } from '../../src/portfolio/read-options.ts';

/** What `check`, `run` and `import` are told of how to read a file. */
export type ReadingWords = { encoding?: string; delimiter?: string };

/** Adds the options by which a file is read where it does not say itself how. */
export function withReadingOptions(command: Command): Command {
  return command
    .option('--encoding <name>', 'encoding of the file, such as shift_jis or gb18030 (default: found from the file)')
    .option('--delimiter <sign>', 'comma, semicolon, tab or pipe (default: found from the file)');
}

/** @throws LimitlineError `USAGE` for a word that cannot be meant. */
export function readOptionsOf({ encoding, delimiter }: ReadingWords): ReadOptions {
  return {
    ...(encoding === undefined ? {} : { encoding: encodingNamed(encoding) }),
    ...(delimiter === undefined ? {} : { delimiter: delimiterNamed(delimiter) }),
  };
}
