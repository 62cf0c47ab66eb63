import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { type ExportPayload, exportResults } from '../../jobs/export/export-results.ts';
import { withDoubt } from '../../jobs/operators/free-held.ts';
import { importName } from '../../jobs/rows/import-names.ts';
import type { Context } from '../../src/context.ts';
import { grouped, moneyText } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import { heldFileRemedy, heldRemedy } from '../../src/held-remedy.ts';
import type { FailedSessions } from '../../src/ledger/calls/sessions.ts';
import { withoutExponent } from '../../src/ledger/counts/amounts.ts';
import type { Cause } from '../../src/ledger/counts/cause.ts';
import { soleCurrency } from '../../src/ledger/counts/outcome-sums.ts';
import { ROW_OUTCOMES, type RowOutcome } from '../../src/ledger/counts/row-outcome.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import { isoTime, type Summary, summarize } from '../../src/ledger/portfolios/summary.ts';
import { rowName } from '../../src/ledger/schema/schema.ts';
import type { FoundRow } from '../../src/ledger/search/row-filter.ts';
import { lookAtPace } from '../../src/open-service.ts';
import { describeLearned } from '../../src/pace/pace-words.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { declinedLines } from '../approval/approval-words.ts';
import { onPortfolio, withContext } from '../opening/on-portfolio.ts';
import { checkOutput, checkOverwritable, nameWritten, writeOutput } from '../report/output.ts';
import { failedSessionLines, reportArchived, summaryTable } from '../report/summary-table.ts';
import { nextLine } from '../run/next-steps.ts';
import { noWorkerWords, type Terminal } from '../terminal/terminal.ts';
import { foldedText } from '../terminal/width.ts';
import { printPortfolios } from './portfolios.ts';

const FORMATS = ['table', 'json', 'csv', 'errors-csv', 'xlsx'] as const;

type ReportOptions = {
  format: (typeof FORMATS)[number];
  out?: string;
  likeInput?: boolean;
  causes?: boolean;
  cause?: string;
  state?: 'held' | RowOutcome;
};

/** `limitline report NAME`: the results of a portfolio, as text, JSON or line by line. Without a name, it lists portfolios. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('report')
    .argument('[name]', 'the portfolio (default: list them all)')
    .addOption(new Option('--format <format>', 'format of the report').choices(FORMATS).default('table'))
    .option('--out <file>', 'write to this file instead of standard output (-)')
    .option('--causes', 'why rows are refused or held, by cause (table or json)')
    .option('--like-input', "write csv and errors-csv with the imported file's own encoding, delimiter and line ends")
    .option('--cause <id>', 'with errors-csv, only rows that failed for this cause')
    .addOption(
      new Option(
        '--state <state>',
        'only rows of this outcome; held: csv or xlsx to fill in for resolve --from, or json',
      ).choices(['held', ...Object.keys(ROW_OUTCOMES)]),
    )
    .action(async (name: string | undefined, options: ReportOptions) => {
      const usual = terminal.json ? 'json' : options.state === 'held' ? 'csv' : 'table';
      const format = options.format === 'table' ? usual : options.format;
      if (name === undefined) return listInstead(format, options, terminal);
      if (terminal.json && format !== 'json' && options.out === undefined) throw otherFormat(format);
      if (options.cause !== undefined && format !== 'errors-csv')
        throw new LimitlineError('USAGE', 'The rows of one cause are written with --format errors-csv alone.');
      if (options.state && (options.causes || format === 'errors-csv'))
        throw new LimitlineError('USAGE', '--state cannot be given with --causes, nor with --format errors-csv.');
      checkOutput(options.out, { isBinary: format === 'xlsx' });
      const whole = { ...options, say: terminal.say };
      await onPortfolio(name, (context) => report(name, format, whole, context), { alsoArchived: true });
      nameWritten(options.out, terminal);
    });
}

async function report(
  name: string,
  format: ReportOptions['format'],
  options: ReportOptions & Pick<Terminal, 'say'>,
  context: Context,
): Promise<void> {
  if (options.out !== undefined) {
    await checkOverwritable(options.out, context, await context.portfolios.allImports(name));
  }
  const archived = await context.archives.read(name);
  if (archived && archived.is !== 'archiving') return reportArchived(archived, { ...options, format }, context);
  if (options.causes) return writeCauses(name, format, options.out, context);
  if (options.state && (format === 'table' || format === 'json')) {
    const outcome = options.state === 'held' ? 'needs_answer' : options.state;
    const listed = listedRows(name, { outcome, isJson: format === 'json' }, context);
    return writeOutput(options.out, (to) => pipeline(listed, to));
  }
  if (format === 'table' || format === 'json') return writeSummary(name, format, options.out, context);
  return writeLines(name, format, options, context);
}

/**
 * Lists all portfolios, for a person who gave no name.
 *
 * @throws LimitlineError `USAGE` for options that need a portfolio, such as an output file
 */
function listInstead(
  format: ReportOptions['format'],
  { out, likeInput, causes, state }: ReportOptions,
  terminal: Terminal,
) {
  if ((format === 'table' || format === 'json') && out === undefined && !likeInput && !causes && !state) {
    return withContext((context) => printPortfolios(context, { ...terminal, json: format === 'json' }));
  }
  const message = 'Name the portfolio: npx limitline report NAME. To list them: npx limitline portfolios';
  throw new LimitlineError('USAGE', message);
}

async function writeCauses(name: string, format: ReportOptions['format'], out: string | undefined, context: Context) {
  if (format !== 'table' && format !== 'json') {
    throw new LimitlineError('USAGE', `Causes are told as a table or as JSON, not as ${format}.`);
  }
  const [causes, state] = await Promise.all([context.portfolios.causes(name), context.portfolios.read(name)]);
  const { account } = context;
  const text =
    format === 'json'
      ? JSON.stringify({ account, portfolio: name, causes }, null, 2)
      : causeTable(name, causes, soleCurrency(state));
  await writeOutput(out, (to) => pipeline([`${text}\n`], to));
}

function otherFormat(format: string): LimitlineError {
  const message = `--json prints JSON, and --format ${format} another format: leave one of them out, or write the file with --out.`;
  return new LimitlineError('USAGE', message);
}

async function writeSummary(name: string, format: 'table' | 'json', out: string | undefined, context: Context) {
  const summary = await summarize(name, context);
  if (!summary) return;
  const failed = await context.calls.sessions.failed(name);
  const hasFailed = failed.refused.length + failed.held.length > 0;
  const told = {
    ...summary,
    ...(hasFailed && { sessions: { refused: failed.refused.map(rowName), held: failed.held.map(rowName) } }),
  };
  const text = format === 'json' ? JSON.stringify(told, null, 2) : await table(summary, failed, context);
  await writeOutput(out, (to) => pipeline([`${text}\n`], to));
}

async function table(summary: Summary, failed: FailedSessions, context: Context): Promise<string> {
  const state = await context.portfolios.read(summary.portfolio);
  const text = summaryTable(summary, await withDoubt(state, context));
  // A finished portfolio makes no calls, and without calls the measured pace is gone within seconds.
  const noWorker = await noWorkerWords(summary.portfolio, context);
  const pace = summary.finished || noWorker ? undefined : await lookAtPace(context);
  const words = pace ? describeLearned(pace) : '';
  const all = summary.states.awaiting > 0 ? await context.approvals.waiting() : [];
  const waiting = all.flatMap(({ id, portfolio }) => (portfolio === summary.portfolio ? [id] : []));
  return [
    text,
    ...(noWorker ? [noWorker] : []),
    ...(words === '' ? [] : [`Pace: ${words}.`]),
    ...(await declinedLines(summary, context)),
    ...(await failedSessionLines(failed, context)),
    ...nextLine(summary, failed, waiting),
  ].join('\n');
}

async function writeLines(
  name: string,
  format: 'csv' | 'errors-csv' | 'xlsx',
  { out, likeInput = false, cause, state, say }: ReportOptions & Pick<Terminal, 'say'>,
  context: Context,
) {
  const { account, rows, portfolios, statusMeanings, imports, calls } = context;
  const only = format === 'errors-csv' ? 'errors' : state === 'held' ? 'held' : 'all';
  const payload: ExportPayload = {
    portfolio: name,
    only,
    outcome: state === 'held' ? undefined : state,
    cause,
    format: format === 'xlsx' ? 'xlsx' : 'csv',
    likeInput: likeInput ? 'all' : 'nothing',
  };
  const deps = { account, rows, portfolios, statusMeanings, imports, calls, say, signal: new AbortController().signal };
  await writeOutput(out, (to) => exportResults(payload, to, deps));
  const { states } = await portfolios.read(name);
  if (only === 'held' && states.held === 0) say(`limitline: No row of portfolio ${name} is held.`);
  else if (only === 'held' && out !== undefined) say(`limitline: ${heldFileRemedy(name, out)}`);
}

const WORDS_FROM = 10;

/** A table of causes with the most frequent first, and the command that retries their rows. */
function causeTable(portfolio: string, causes: readonly Cause[], currency: string | undefined): string {
  if (causes.length === 0) return `No row of portfolio ${portfolio} is refused or held.`;
  const sumHead = currency === undefined ? 'sum' : `sum, ${currency}`;
  const head = line('cause', 'rows', sumHead, 'step', 'meaning');
  const lines = [`Failures of portfolio ${portfolio} by cause`, '', head];
  for (const { id, rows, sum, step, meaning, status, words } of causes) {
    lines.push(line(id, grouped(rows), moneyText(sum), step, status === null ? meaning : `${meaning}, ${status}`));
    lines.push(...foldedText(visible(words), WORDS_FROM));
  }
  const goes = causes.find(({ meaning }) => meaning !== 'unknown');
  lines.push('');
  if (goes) lines.push(`To send a group again: npx limitline retry "${portfolio}" --cause ${goes.id}`);
  if (causes.some(({ meaning }) => meaning === 'unknown')) lines.push(...heldRemedy(portfolio).split(/(?<=file:|;) /));
  return lines.join('\n');
}

function line(id: string, rows: string, sum: string, step: string, meaning: string): string {
  return `${id.padEnd(8)}${rows.padStart(10)}${sum.padStart(24)}  ${step.padEnd(9)}  ${meaning}`.trimEnd();
}

/**
 * Yields a text or JSON in pieces that lists the rows of one outcome by line, as the console's list finds them. Each amount has the
 * currency of its file, and the text names the files if the portfolio has several.
 */
async function* listedRows(
  portfolio: string,
  { outcome, isJson }: { outcome: RowOutcome; isJson: boolean },
  { account, rows, portfolios }: Pick<Context, 'account' | 'rows' | 'portfolios'>,
): AsyncGenerator<string> {
  const files = new Map((await portfolios.allImports(portfolio)).map((known) => [String(known.number), known]));
  const textOf = isJson ? factsOf : lineOf;
  let count = 0;
  if (isJson) yield `${JSON.stringify({ account, portfolio, outcome }).slice(0, -1)},"rows":[`;
  else yield `line ${' '.repeat(14)}requested  status          changed     buyer\n`;
  for await (const page of rows.all(portfolio, { outcomes: [outcome] })) {
    yield page.map((row, at) => `${isJson && count + at > 0 ? ',' : ''}${textOf(row, files)}`).join('');
    count += page.length;
  }
  if (isJson) yield '\n]}\n';
  else yield `${grouped(count)} of the rows of portfolio ${portfolio}: ${ROW_OUTCOMES[outcome]}.\n`;
}

type Files = ReadonlyMap<string, KnownImport>;

function factsOf({ row, result }: FoundRow, files: Files): string {
  const { line, importId, request, limitId, record, updatedMs } = result;
  const { status = null } = record;
  const total_limit = record.total_limit === undefined ? null : withoutExponent(record.total_limit);
  const known = files.get(importId);
  const [requested, currency] = [request.limit.requested_limit, known?.found?.currency ?? null];
  const ids = {
    row: rowName(row),
    import: known && importName(known),
    line,
    name: request.name,
    buyer_limit_id: limitId || null,
  };
  const facts = { ...ids, requested_limit: requested, currency, status, total_limit, updated: isoTime(updatedMs) };
  return `\n${JSON.stringify(facts)}`;
}

function lineOf({ result: { line, importId, request, record, updatedMs } }: FoundRow, files: Files): string {
  const known = files.get(importId);
  const amount = moneyText(request.limit.requested_limit, known?.found?.currency).padStart(16);
  const status = visible(record.status ?? '').padEnd(14);
  const updated = isoTime(updatedMs)?.slice(0, 10);
  const of = files.size > 1 && known ? `, of ${visible(importName(known))}` : '';
  return `line ${String(line).padEnd(6)} ${amount}  ${status}  ${updated}  ${visible(request.name)}${of}\n`;
}
