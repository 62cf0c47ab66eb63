import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { type Command, Option } from 'commander';
import { exportResults } from '../../jobs/index.ts';
import { readSettings } from '../../src/config.ts';
import { type Context, openContext } from '../../src/context.ts';
import { LimitlineError, messageOf } from '../../src/errors.ts';
import { summarize } from '../../src/ledger/summary.ts';
import { makeWordsLog } from '../../src/log.ts';
import { summaryTable } from '../terminal/summary-table.ts';
import type { Terminal } from '../terminal/terminal.ts';

const FORMATS = ['table', 'json', 'csv', 'errors-csv', 'xlsx'] as const;

type ReportOptions = { format: (typeof FORMATS)[number]; out?: string; likeInput?: boolean };

/** `limitline report NAME`: what became of a portfolio, in words, as JSON, or line by line. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('report')
    .argument('<name>', 'the portfolio')
    .description('what became of a portfolio')
    .addOption(new Option('--format <format>', 'how to say it').choices(FORMATS).default('table'))
    .option('--out <file>', 'write it there instead of on standard output')
    .option('--like-input', "csv and errors-csv in the imported file's own encoding, delimiter and line ends")
    .action(async (name: string, options: ReportOptions) => {
      const settings = readSettings();
      const context = await openContext({ settings, log: makeWordsLog({ level: settings.LOG_LEVEL }) });
      try {
        const format = terminal.json && options.format === 'table' ? 'json' : options.format;
        if (format === 'csv' || format === 'errors-csv' || format === 'xlsx')
          await writeCsv(name, format, options, context);
        else await writeSummary(name, format, options.out, context);
      } finally {
        await context.close();
      }
    });
}

async function writeSummary(name: string, format: 'table' | 'json', out: string | undefined, context: Context) {
  const summary = await summarize(name, context);
  if (!summary) throw await unknownPortfolio(name, context);
  const text =
    format === 'json' ? JSON.stringify(summary, null, 2) : summaryTable(summary, await context.portfolios.read(name));
  const stream = openOutput(out);
  await new Promise<void>((resolve, reject) => {
    stream.on('error', (error) => reject(outputFault(out, error)));
    stream.write(`${text}\n`, () => resolve());
  });
  if (out !== undefined) stream.end();
}

async function writeCsv(
  name: string,
  format: 'csv' | 'errors-csv' | 'xlsx',
  { out, likeInput = false }: ReportOptions,
  context: Context,
) {
  const { rows, portfolios, imports } = context;
  const only = format === 'errors-csv' ? 'errors' : 'all';
  if (!(await portfolios.read(name)).file) throw await unknownPortfolio(name, context);
  const payload = exportResults.parse({ portfolio: name, only, likeInput, format: format === 'xlsx' ? 'xlsx' : 'csv' });
  await exportResults.run(payload, openOutput(out), {
    rows,
    portfolios,
    imports,
    signal: new AbortController().signal,
  });
}

function openOutput(out: string | undefined): Writable {
  return out === undefined ? process.stdout : createWriteStream(out);
}

function outputFault(out: string | undefined, error: unknown): LimitlineError {
  return new LimitlineError('FILE', `${out ?? 'Standard output'} cannot be written: ${messageOf(error)}.`, {
    cause: error,
  });
}

async function unknownPortfolio(name: string, { portfolios }: Context): Promise<LimitlineError> {
  const names = await portfolios.names();
  const known = names.length > 0 ? `known are: ${names.slice(-10).join(', ')}` : 'none was imported yet';
  return new LimitlineError('NOT_FOUND', `There is no portfolio "${name}"; ${known}.`);
}
