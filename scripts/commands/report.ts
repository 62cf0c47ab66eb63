import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { type Command, Option } from 'commander';
import { exportResults } from '../../jobs/index.ts';
import { readSettings } from '../../src/config.ts';
import { type Context, lookAtPace, openContext } from '../../src/context.ts';
import { LimitlineError, messageOf } from '../../src/errors.ts';
import { type Summary, summarize } from '../../src/ledger/summary.ts';
import { makeWordsLog } from '../../src/log.ts';
import { describeLearned } from '../../src/pace/pace-words.ts';
import { summaryTable } from '../terminal/summary-table.ts';
import type { Terminal } from '../terminal/terminal.ts';

const FORMATS = ['table', 'json', 'csv', 'errors-csv'] as const;

type ReportOptions = { format: (typeof FORMATS)[number]; out?: string };

/** `limitline report NAME`: what became of a portfolio, in words, as JSON, or line by line. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('report')
    .argument('<name>', 'the portfolio')
    .description('what became of a portfolio')
    .addOption(new Option('--format <format>', 'how to say it').choices(FORMATS).default('table'))
    .option('--out <file>', 'write it there instead of on standard output')
    .action(async (name: string, options: ReportOptions) => {
      const settings = readSettings();
      const context = await openContext({ settings, log: makeWordsLog({ level: settings.LOG_LEVEL }) });
      try {
        const format = terminal.json && options.format === 'table' ? 'json' : options.format;
        if (format === 'csv' || format === 'errors-csv') await writeCsv(name, format, options.out, context);
        else await writeSummary(name, format, options.out, context);
      } finally {
        await context.close();
      }
    });
}

async function writeSummary(name: string, format: 'table' | 'json', out: string | undefined, context: Context) {
  const summary = await summarize(name, context);
  if (!summary) throw await unknownPortfolio(name, context);
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

async function writeCsv(name: string, format: 'csv' | 'errors-csv', out: string | undefined, context: Context) {
  const { rows, portfolios, imports } = context;
  const only = format === 'csv' ? 'all' : 'errors';
  if (!(await portfolios.read(name)).file) throw await unknownPortfolio(name, context);
  const payload = exportResults.parse({ portfolio: name, only });
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
