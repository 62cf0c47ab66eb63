import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { type Command, Option } from 'commander';
import { exportResults } from '../../jobs/index.ts';
import { type Context, lookAtPace } from '../../src/context.ts';
import { LimitlineError, messageOf } from '../../src/errors.ts';
import { type Summary, summarize } from '../../src/ledger/summary.ts';
import { describeLearned } from '../../src/pace/pace-words.ts';
import { summaryTable } from '../terminal/summary-table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { onPortfolio } from './on-portfolio.ts';

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
      const format = terminal.json && options.format === 'table' ? 'json' : options.format;
      await onPortfolio(name, (context) =>
        format === 'table' || format === 'json'
          ? writeSummary(name, format, options.out, context)
          : writeLines(name, format, { ...options, say: terminal.say }, context),
      );
    });
}

async function writeSummary(name: string, format: 'table' | 'json', out: string | undefined, context: Context) {
  const summary = await summarize(name, context);
  if (!summary) return;
  const text = format === 'json' ? JSON.stringify(summary, null, 2) : await table(summary, name, context);
  const stream = openOutput(out);
  await new Promise<void>((resolve, reject) => {
    stream.on('error', (error) => reject(outputFault(out, error)));
    stream.write(`${text}\n`, () => resolve());
  });
  if (out !== undefined) stream.end();
}

async function table(summary: Summary, name: string, context: Context): Promise<string> {
  const text = summaryTable(summary, await context.portfolios.read(name));
  const pace = await lookAtPace(context);
  const words = pace ? describeLearned(pace) : '';
  return words === '' ? text : `${text}\nPace: ${words}.`;
}

async function writeLines(
  name: string,
  format: 'csv' | 'errors-csv' | 'xlsx',
  { out, likeInput = false, say }: ReportOptions & Pick<Terminal, 'say'>,
  context: Context,
) {
  const { account, rows, portfolios, imports } = context;
  const only = format === 'errors-csv' ? 'errors' : 'all';
  const payload = exportResults.parse({ portfolio: name, only, likeInput, format: format === 'xlsx' ? 'xlsx' : 'csv' });
  await exportResults.run(payload, openOutput(out), {
    account,
    ...{ rows, portfolios, imports },
    say,
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
