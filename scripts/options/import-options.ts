import { access, constants } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { Command } from 'commander';
import type { ImportPayload } from '../../jobs/import/import-portfolio.ts';
import { checkImport } from '../../jobs/import/open-import.ts';
import { LimitlineError } from '../../src/errors.ts';
import { fileFault } from '../../src/files/draft.ts';
import { MOST_FIRST } from '../../src/ledger/rows/first-rows.ts';
import { STAND_IN_ACCOUNT } from '../../src/stand-in-account.ts';
import { documentsBeside, fileOrInput, needPortfolio, STANDARD_INPUT } from '../file/standard-input.ts';
import { canAsk } from '../terminal/terminal.ts';
import { numberUpTo } from './durations.ts';
import {
  documentsOption,
  type ReadingOptions,
  readOptionsOf,
  totalOption,
  withReadingOptions,
} from './reading-options.ts';

export type ImportOptions = ReadingOptions & {
  portfolio?: string;
  documents?: string;
  supplier?: string;
  total?: string;
  /** Whether to cancel rows of earlier imports that this file lacks. */
  replace?: boolean;
  /** The number of rows to send first. */
  first?: number;
  /** Whether to skip the question. */
  yes?: boolean;
};

export function withImportOptions(command: Command): Command {
  return withReadingOptions(command.argument('<file>', 'the CSV of buyers, or - for standard input'))
    .option('--portfolio <name>', "the portfolio's name (default: the file's name without its ending)")
    .addOption(documentsOption())
    .addOption(totalOption())
    .option('--supplier <file>', 'a CSV or workbook with one line: the supplier, created before the buyers')
    .option('--replace', 'cancel rows of earlier imports that are not in this file and were not sent')
    .option(
      '--first <n>',
      'send this many rows first, then pause: limitline resume sends the rest',
      numberUpTo(MOST_FIRST, 'a number of rows,'),
    )
    .option('--yes', 'request without asking first (without a terminal nobody is asked anyway)');
}

/** The import for these options. A missing file is reported before anything is started. */
export async function importPayload(
  file: string,
  options: ImportOptions,
  say: (text: string) => void,
): Promise<ImportPayload> {
  needPortfolio(file, options.portfolio);
  const payload = {
    portfolio: options.portfolio ?? portfolioNameOf(file),
    path: file,
    documentsDir: options.documents ?? documentsBeside(file),
    supplierPath: options.supplier,
    total: options.total,
    replace: options.replace ?? false,
    first: options.first,
    reading: await readOptionsOf(options),
  };
  // Checked before standard input is read, which may take long.
  checkImport(payload);
  const path = await fileOrInput(file, say);
  await access(path, constants.R_OK).catch((error) => {
    throw fileFault(path, 'read', error);
  });
  return { ...payload, path };
}

/**
 * Whether to ask a person before anything is requested of this account: on a terminal, without `--yes`. Never for the stand-in,
 * whose limits are not real.
 *
 * @throws LimitlineError `USAGE` for a file from standard input on a terminal: then nobody can answer
 */
export function isToAsk(file: string, { yes = false }: Pick<ImportOptions, 'yes'>, account: string): boolean {
  if (yes || account === STAND_IN_ACCOUNT) return false;
  if (file === STANDARD_INPUT && process.stderr.isTTY === true) {
    throw new LimitlineError(
      'USAGE',
      `The file comes through standard input, so nobody can be asked before its limits are requested of ${account}; add --yes, or save the file and name it.`,
    );
  }
  return canAsk();
}

/** The portfolio for a file: `Buyers Q4 (final).csv` → `Buyers Q4 -final-`. Hyphens replace forbidden characters. */
export function portfolioNameOf(file: string): string {
  const name = basename(file, extname(file)).normalize('NFC');
  return (
    name
      .replace(/[^\p{L}\p{N} ._-]/gu, '-')
      .replace(/^[^\p{L}\p{N}]+/u, '')
      .slice(0, 64) || 'portfolio'
  );
}
