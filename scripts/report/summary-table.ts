import { pipeline } from 'node:stream/promises';
import { folderOf, isThere, writeArchivedResults } from '../../jobs/archive/look-at-archive.ts';
import { CALL_KINDS, KINDS } from '../../src/call-kind.ts';
import { shellWord } from '../../src/console/parts/text.ts';
import type { Context } from '../../src/context.ts';
import { allBeforeWords, counted, grouped, moneyText, sizeWords } from '../../src/counted.ts';
import { cutText } from '../../src/cut-text.ts';
import type { FailedSessions } from '../../src/ledger/calls/sessions.ts';
import { amountHead, moneyLines, moneyNotes, onlyCurrency } from '../../src/ledger/counts/money.ts';
import { answerCountWords, answerNotes, notQuiteGranted } from '../../src/ledger/counts/not-quite-granted.ts';
import { isGrantKnown } from '../../src/ledger/counts/outcome-sums.ts';
import { laterSupplierWords, type PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import { resentWords } from '../../src/ledger/portfolios/proof.ts';
import { isoTime, isPaused, type Summary } from '../../src/ledger/portfolios/summary.ts';
import type { ArchivedPortfolio } from '../../src/ledger/schema/archives.ts';
import { ARCHIVE_STANDING, archivedFault, archivedRows, archivedStates } from '../../src/ledger/schema/archives.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { sentence } from '../../src/sentence.ts';
import { statusMeaningOf } from '../../src/status-meaning.ts';
import { minuteZ } from '../../src/utc-text.ts';
import { writeOutput } from './output.ts';

/** The report for finance people. */
export function summaryTable(
  summary: Summary,
  given: Pick<PortfolioState, 'supplier' | 'paused' | 'interrupted'> &
    Partial<Pick<PortfolioState, 'first' | 'supplierAwaits' | 'laterSupplier' | 'answers'>>,
): string {
  const { supplier, supplierAwaits, laterSupplier, answers: answered = [], paused, first, interrupted } = given;
  const { account, portfolio, importing, lines, invalid, duplicate, kept, replaced, rows, states, calls } = summary;
  const parts: string[] = [`Portfolio ${portfolio}, account ${account}`, ''];
  if (importing) parts.push('A file is still being imported: all figures are of the lines read so far.', '');
  parts.push(
    row(importing || interrupted ? 'lines read so far' : linesLabel(summary), lines),
    row('  invalid', invalid),
    row('  duplicate', duplicate),
    row('  rows', rows),
  );
  const all = allBeforeWords(rows, states.skipped);
  if (all !== undefined) parts.push(`    ${all}.`);
  if (replaced > 0) {
    const were = counted(replaced, 'cancelled row was', 'cancelled rows were');
    parts.push(`    ${were} corrected or left out by a later file.`);
  }
  if (kept > 0) {
    const [stay, lines] = kept === 1 ? ['stays as it was', 'its line'] : ['stay as they were', 'their lines'];
    parts.push(
      `    ${counted(kept, 'row')} ${stay}: ${lines} in the last import cannot be used. report --format errors-csv has ${kept === 1 ? 'it' : 'them'}.`,
    );
  }
  if (summary.money.in_file.lines > 0) parts.push(...moneyTable(summary));
  parts.push('', ...moneyNotes(summary.money, summary));
  const answers = visible(answerCountWords(summary));
  if (answers !== '') parts.push(`The service answered: ${answers}.`);
  parts.push(
    ...notQuiteGranted(summary, new Map(Object.entries(summary.meanings))).map((words) => visible(sentence(words))),
  );
  parts.push(
    ...answerNotes(answered, new Map(Object.entries(summary.meanings)), {
      bring: BRING,
      currency: onlyCurrency(summary.money),
    }),
    ...unknownStatusLines(summary),
  );
  parts.push(callLine(calls));
  if (summary.madeTwice > 0) {
    parts.push(
      `MADE TWICE: ${summary.madeTwice}. The results and errors files name them, and so does: npx limitline reconcile`,
    );
  }
  const again = resentWords(summary.resent);
  if (again !== '')
    parts.push(
      `Allowed to be sent a second time, since the outcome of the first sending is unknown: ${again}. The service may make them twice.`,
    );
  if (supplier)
    parts.push(
      supplier.id
        ? `Supplier: ${supplier.id}${supplierAwaits ? ', once it is approved' : ''}`
        : `Supplier: ${supplier.problem ?? 'not created yet'}`,
    );
  const later = laterSupplierWords({ laterSupplier });
  if (later) parts.push(visible(later));
  if (isPaused({ paused, importing: importing ?? false, states })) parts.push(`Paused: ${paused || 'by request'}.`);
  else if (first !== undefined && !summary.finished) {
    parts.push(
      `${counted(first, 'row is', 'rows are')} sent first; then the portfolio pauses until: npx limitline resume "${portfolio}"`,
    );
  }
  if (interrupted)
    parts.push('An import was not read to its end: import its file again, or once more the file that takes its place.');
  if (summary.started) parts.push(timeLine(summary.started, summary.finished, states.held > 0));
  return parts.join('\n');
}

/** What the first line counts: rows of earlier imports, and rows that others replaced, count too. */
function linesLabel({ money, replaced }: Summary): string {
  return money.in_file.with_earlier || replaced > 0 ? 'lines of all imports' : 'lines of the file';
}

/** The table of amounts: for each outcome its lines of the file, their amount and what was granted. */
function moneyTable({ money, outcomes, before, meanings }: Summary): string[] {
  const line = (label: string, cells: string[]) =>
    `${label.padEnd(32)}${cells.map((cell, at) => ` ${cell}`.padStart(at === 0 ? 8 : 19)).join('')}`.trimEnd();
  const amountOf = (text: string | undefined) => (text === undefined ? '' : moneyText(text));
  const earlier = { before: Object.keys(before.statuses), meanings: new Map(Object.entries(meanings)) };
  const lines = moneyLines(money, outcomes).map(({ level, words, lines: count, amount, granted, outcomes: some }) => {
    const known = granted === undefined || isGrantKnown(outcomes, some, earlier) ? amountOf(granted) : '–';
    return line(`${'  '.repeat(level)}${words}`, [grouped(count), amountOf(amount), known]);
  });
  return ['', line('', ['lines', amountHead(money), 'granted']), ...lines];
}

/** The hint how to give statuses a meaning; none if each status has one. */
function unknownStatusLines({ statuses, meanings }: Summary): string[] {
  const known = new Map(Object.entries(meanings));
  if (Object.keys(statuses).every((status) => statusMeaningOf(status, known) !== undefined)) return [];
  return ['To say what a status means: npx limitline statuses STATUS --means approved|review|declined'];
}

/** The advice for limits without a status: their decisions can be taken in from a file. */
const BRING = ' To take in a missing status: npx limitline decisions FILE';

function callLine({ token, throttled, ...calls }: Summary['calls']): string {
  const sent = CALL_KINDS.map((kind) => `${grouped(calls[kind])} for ${KINDS[kind].several}`).join(', ');
  return `Calls sent: ${sent}, ${grouped(token)} for tokens. The service ${throttled === 0 ? 'never asked' : `asked ${counted(throttled, 'time')}`} for slower calls.`;
}

const row = (label: string, count: number): string => `${label.padEnd(24)}${grouped(count).padStart(12)}`;

function timeLine(started: string, finished: string | null, isHeld: boolean): string {
  if (!finished) return `Started ${started}, not finished yet.`;
  const seconds = (Date.parse(finished) - Date.parse(started)) / 1_000;
  // A clock that was set back meanwhile measures no time.
  const took = seconds < 0 ? '' : ` (${seconds.toFixed(1)} s)`;
  return `Started ${started}, ${isHeld ? 'nothing left to send since' : 'finished'} ${finished}${took}.`;
}

/** The most sessions that are named; each costs a line. */
const MOST_NAMED = 5;

/** The most characters that are shown of what the service said about a session. */
const MOST_SAID = 160;

/**
 * Of each session that the service rejected, or whose outcome nobody knows: the line, the buyer and what the service said. Links are never
 * printed.
 */
export async function failedSessionLines(
  { refused, held }: FailedSessions,
  { rows }: Pick<Context, 'rows'>,
): Promise<string[]> {
  const some = [...refused.slice(0, MOST_NAMED), ...held.slice(0, MOST_NAMED)];
  const results = await rows.read(some);
  return some.flatMap(({ sessionHeard }, at) => {
    const result = results[at];
    if (!result) return [];
    const said = visible(sessionHeard.replace(/https?:[^\s"<>]+/gi, '(a link)'));
    return [`Hosted session of line ${result.line}, ${visible(result.request.name)}: ${cutText(said, MOST_SAID)}`];
  });
}

/** An archived portfolio, with the folder of its files. */
export function archivedAt(archived: ArchivedPortfolio, context: Pick<Context, 'account' | 'settings'>): ArchivedAt {
  return { ...archived, folder: folderOf(archived, placeOf(context)) };
}

/**
 * Reports an archived portfolio: what is known of it, or its results as they were then.
 *
 * @throws LimitlineError `USAGE` for reports that need its rows, with how to restore them; `FILE` where its files are missing or changed
 */
export async function reportArchived(
  archived: ArchivedPortfolio,
  { format, out, causes = false, state }: { format: string; out?: string; causes?: boolean; state?: string },
  context: Context,
): Promise<void> {
  if (causes || state) throw archivedFault(archived);
  if (format === 'csv') return writeResults(archived, out, context);
  if (format !== 'table' && format !== 'json') throw archivedFault(archived);
  const at = archivedAt(archived, context);
  const isGone = hasFiles(archived) && !(await isThere(archived, placeOf(context)));
  const text =
    format === 'json'
      ? JSON.stringify({ account: context.account, ...archivedFacts(at) }, null, 2)
      : [
          `Portfolio ${archived.name}, account ${context.account}`,
          '',
          archivedWords(at),
          '',
          ...nextSteps(at, isGone),
        ].join('\n');
  await writeOutput(out, (to) => pipeline([`${text}\n`], to));
}

/** The width of the name's column in characters, as in {@link portfolioWords}, so that a line fits 80 columns. */
const NAME_WIDTH = 24;

/** The three or four lines about an archived portfolio: name and state, counts, sums, and the folder. */
export function archivedWords(archived: ArchivedAt): string {
  const { name, is, sinceMs, by, finishedMs, requested = '0', granted = '0', sizeBytes, folder, currency } = archived;
  const shown = name.length > NAME_WIDTH ? `${name.slice(0, NAME_WIDTH - 1)}…` : name;
  const counts = archivedStates(archived).map(([state, count]) => `${grouped(count)} ${state}`);
  const size = is === 'forgotten' || sizeBytes === undefined ? '' : `; files of ${sizeWords(sizeBytes)}`;
  const lines = [
    `${shown.padEnd(NAME_WIDTH)}  ${ARCHIVE_STANDING[is]} ${minuteZ(sinceMs)} by ${visible(by)}`,
    `    ${counts.join(', ') || 'no rows'}; finished ${minuteZ(finishedMs)}${size}`,
    `    requested ${moneyText(requested, currency)}, granted ${moneyText(granted, currency)}`,
  ];
  // The folder has a line of its own, to be copied.
  if (is !== 'forgotten') lines.push(`    ${folder}`);
  return lines.join('\n');
}

/** An archived portfolio in JSON. */
export function archivedFacts(archived: ArchivedAt) {
  const { name, is, by, sinceMs, startedMs, finishedMs, states = {} } = archived;
  const { requested, granted, currency, sizeBytes, folder } = archived;
  return {
    portfolio: name,
    standing: is,
    since: isoTime(sinceMs),
    by,
    started: isoTime(startedMs),
    finished: isoTime(finishedMs),
    rows: archivedRows(archived),
    states,
    requested: requested ?? null,
    granted: granted ?? null,
    currency: currency ?? null,
    ...(is === 'forgotten' ? {} : { folder, bytes: sizeBytes ?? null }),
  };
}

/** Tells that a list leaves out archived portfolios. */
export function othersArchived(count: number): string {
  return `${counted(count, 'more is', 'more are')} archived or forgotten: npx limitline portfolios --all`;
}

/** An archived or forgotten portfolio with its folder. A forgotten one has no files. */
type ArchivedAt = ArchivedPortfolio & { folder: string };

async function writeResults(archived: ArchivedPortfolio, out: string | undefined, context: Context): Promise<void> {
  if (!hasFiles(archived)) throw archivedFault(archived);
  const { signal } = new AbortController();
  await writeOutput(out, (to) => writeArchivedResults(archived, placeOf(context), to, signal));
}

/** Commands that a person may want next. */
function nextSteps({ name, is }: ArchivedAt, isGone: boolean): string[] {
  const word = shellWord(name);
  if (is === 'forgotten') return ['The portfolio was forgotten: nothing of it can be brought back.'];
  if (is !== 'archived') return [archivedFault({ name, is }).message];
  if (isGone)
    return [
      'The files of the archive are missing, so the portfolio cannot be restored.',
      'Put the folder back from a copy.',
    ];
  return [
    `To read its results:  npx limitline report ${word} --format csv --out FILE`,
    `To restore its rows:  npx limitline restore ${word}`,
  ];
}

function hasFiles({ is }: ArchivedPortfolio): boolean {
  return is === 'leaving' || is === 'archived' || is === 'restoring';
}

function placeOf({ account, settings }: Pick<Context, 'account' | 'settings'>) {
  return { account, dataDir: settings.LIMITLINE_DATA };
}
