import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { type ExportPayload, exportResults } from '../../jobs/export/export-results.ts';
import { type Context, lookAtPace } from '../../src/context.ts';
import { LimitlineError } from '../../src/errors.ts';
import { type Summary, summarize } from '../../src/ledger/summary.ts';
import { describeLearned } from '../../src/pace/pace-words.ts';
import { onPortfolio, withContext } from '../opening/on-portfolio.ts';
import { checkOutput, writeOutput } from '../report/output.ts';
import { summaryTable } from '../report/summary-table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { printPortfolios } from './portfolios.ts';

const FORMATS = ['table', 'json', 'csv', 'errors-csv', 'xlsx'] as const;

type ReportOptions = { format: (typeof FORMATS)[number]; out?: string; likeInput?: boolean };

/**
 * `limitline report NAME`: what became of a portfolio, in words, as JSON, or line by line; without a name, which portfolios
 * there are.
 */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('report')
    .argument('[name]', 'the portfolio (default: list them all)')
    .description('what became of a portfolio')
    .addOption(new Option('--format <format>', 'format of the report').choices(FORMATS).default('table'))
    .option('--out <file>', 'write to this file instead of standard output')
    .option('--like-input', "write csv and errors-csv with the imported file's own encoding, delimiter and line ends")
    .action(async (name: string | undefined, options: ReportOptions) => {
      const format = terminal.json && options.format === 'table' ? 'json' : options.format;
      if (name === undefined) return listInstead(format, options, terminal);
      checkOutput(options.out, { isBinary: format === 'xlsx' });
      await onPortfolio(name, (context) =>
        format === 'table' || format === 'json'
          ? writeSummary(name, format, options.out, context)
          : writeLines(name, format, { ...options, say: terminal.say }, context),
      );
    });
}

/** Somebody who does not know the name is helped by all of them; but what was to be written is of one portfolio. */
function listInstead(format: ReportOptions['format'], { out, likeInput }: ReportOptions, terminal: Terminal) {
  if ((format === 'table' || format === 'json') && out === undefined && !likeInput) {
    return withContext((context) => printPortfolios(context, { ...terminal, json: format === 'json' }));
  }
  throw new LimitlineError(
    'USAGE',
    'Name the portfolio: npx limitline report NAME. To list them: npx limitline portfolios',
  );
}

async function writeSummary(name: string, format: 'table' | 'json', out: string | undefined, context: Context) {
  const summary = await summarize(name, context);
  if (!summary) return;
  const text = format === 'json' ? JSON.stringify(summary, null, 2) : await table(summary, name, context);
  await writeOutput(out, (to) => pipeline([`${text}\n`], to));
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
  const payload: ExportPayload = {
    portfolio: name,
    only,
    format: format === 'xlsx' ? 'xlsx' : 'csv',
    likeInput: likeInput ? 'all' : 'nothing',
  };
  const deps = { account, rows, portfolios, imports, say, signal: new AbortController().signal };
  await writeOutput(out, (to) => exportResults(payload, to, deps));
}
