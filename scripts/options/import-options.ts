import { access, constants } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ImportPayload } from '../../jobs/import/import-portfolio.ts';
import { checkImport } from '../../jobs/import/open-import.ts';
import { LimitlineError } from '../../src/errors.ts';
import { fileFault } from '../../src/files/disk.ts';
import { MOST_FIRST } from '../../src/ledger/rows/first-rows.ts';
import { readMapArgs } from '../../src/portfolio/columns/mapping.ts';
import { controlTotalFault } from '../../src/portfolio/control-total.ts';
import type { ReadOptions } from '../../src/portfolio/read-options.ts';
import { STAND_IN_ACCOUNT } from '../../src/stand-in-account.ts';
import { delimiterNamed, encodingNamed } from '../../src/table/dialect.ts';
import { documentsBeside, fileOrInput, needPortfolio, STANDARD_INPUT } from '../file/standard-input.ts';
import { canAsk } from '../terminal/terminal.ts';
import { numberUpTo } from './durations.ts';

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
    const message = `The file comes through standard input, so nobody can be asked before its limits are requested of ${account}; add --yes, or save the file and name it.`;
    throw new LimitlineError('USAGE', message);
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

export type ReadingOptions = {
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
  'lines, such as 12 or 12-15, that mean the buyer with their identifiers, though the name differs; may be repeated';

const DECIMALS = { point: '.', comma: ',' } as const;

/** Adds options for what a file does not tell about itself. */
export function withReadingOptions(command: Command): Command {
  const decimal = new Option('--decimal <sign>', 'the decimal mark of amounts (default: found from the column)');
  const dates = new Option(
    '--dates <order>',
    'whether the day or the month comes first in dates like 05/04/2026 (default: found from the column)',
  );
  return command
    .option('--encoding <name>', 'encoding of the file, such as cp850 or shift_jis (default: found from the file)')
    .option('--delimiter <sign>', 'comma, semicolon, tab or pipe (default: found from the file)')
    .option('--sheet <name>', 'the sheet of an Excel workbook (default: the first visible one)')
    .option('--hidden-rows', 'also read rows of a sheet that are hidden, by hand or by a filter')
    .option('--header-line <n>', 'the line with the column names (default: found within the first 20)', headerLine)
    .option(
      '--map <header=column>',
      'read a header as this column of Limitline ("HEADER=": as none); or a JSON file of check --save-map; may be repeated',
      collect,
    )
    .option('--same-buyer <line>', SAME_BUYER, collect)
    .addOption(decimal.choices(Object.keys(DECIMALS)))
    .addOption(dates.choices(['dmy', 'mdy']));
}

export function documentsOption(): Option {
  const words = 'folder or ZIP file of the supporting documents (default: "documents" beside the file)';
  return new Option('--documents <dir>', words);
}

export function totalOption(): Option {
  return new Option(
    '--total <amount>',
    'your own sum of the amounts: if the file adds up to another one, nothing of it is taken',
  ).argParser((text: string) => {
    const fault = controlTotalFault(text);
    if (fault !== undefined) throw new InvalidArgumentError(fault);
    return text;
  });
}

/** @throws LimitlineError `USAGE` for an unknown value, `FILE` for an unusable mapping */
export async function readOptionsOf(options: ReadingOptions): Promise<ReadOptions> {
  const { encoding, delimiter, sheet, headerLine, map = [], decimal, dates, hiddenRows, sameBuyer } = options;
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
    ...(sameBuyer === undefined ? {} : { sameBuyer: linesOfSameBuyer(sameBuyer) }),
  };
}

/** The most lines that an option may name, since each costs a check at every line; a column can name more. */
const MOST_LINES = 1_000;

/**
 * Parses the lines of the option --same-buyer: `12`, `12-15` or `12,14`. Sorted and unique.
 *
 * @throws LimitlineError `USAGE` for invalid or too many lines
 */
export function linesOfSameBuyer(args: readonly string[]): number[] {
  const lines = new Set<number>();
  for (const arg of args.flatMap((one) => one.split(','))) {
    const [, from = '', to = from] = /^\s*([1-9]\d{0,8})(?:\s*-\s*([1-9]\d{0,8}))?\s*$/.exec(arg) ?? [];
    const isRange = from !== '' && Number(from) <= Number(to);
    if (!isRange) throw new LimitlineError('USAGE', `--same-buyer "${arg}" names no line: write 12, or 12-15.`);
    if (lines.size + Number(to) - Number(from) >= MOST_LINES) {
      const message = `--same-buyer names more than ${MOST_LINES} lines: write yes in a column same_buyer instead.`;
      throw new LimitlineError('USAGE', message);
    }
    for (let line = Number(from); line <= Number(to); line += 1) lines.add(line);
  }
  return [...lines].sort((a, b) => a - b);
}

function headerLine(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('Give the number of a line, 1 or more.');
  return Number(text);
}

const collect = (word: string, earlier: string[] = []): string[] => [...earlier, word];
