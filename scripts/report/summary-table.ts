import { CALL_KINDS, KINDS } from '../../src/call-kind.ts';
import type { Context } from '../../src/context.ts';
import { allBeforeWords, counted, grouped, moneyText } from '../../src/counted.ts';
import { cutText } from '../../src/cut-text.ts';
import type { FailedSessions } from '../../src/ledger/calls/sessions.ts';
import { answerNotes } from '../../src/ledger/counts/answer-notes.ts';
import { amountHead, moneyLines, moneyNotes, onlyCurrency } from '../../src/ledger/counts/money.ts';
import { answerCountWords, notQuiteGranted, sentence } from '../../src/ledger/counts/not-quite-granted.ts';
import { laterSupplierWords, type PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import { resentWords } from '../../src/ledger/portfolios/proof.ts';
import { isPaused, type Summary } from '../../src/ledger/portfolios/summary.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { statusMeaningOf } from '../../src/status-meaning.ts';

/** The report for finance people. */
export function summaryTable(
  summary: Summary,
  {
    supplier,
    supplierAwaits,
    laterSupplier,
    answers: answered = [],
    paused,
    first,
    interrupted,
  }: Pick<PortfolioState, 'supplier' | 'paused' | 'interrupted'> &
    Partial<Pick<PortfolioState, 'first' | 'supplierAwaits' | 'laterSupplier' | 'answers'>>,
): string {
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
function moneyTable({ money, outcomes }: Summary): string[] {
  const line = (label: string, cells: string[]) =>
    `${label.padEnd(32)}${cells.map((cell, at) => ` ${cell}`.padStart(at === 0 ? 8 : 19)).join('')}`.trimEnd();
  const amountOf = (text: string | undefined) => (text === undefined ? '' : moneyText(text));
  const lines = moneyLines(money, outcomes).map(({ level, words, lines: count, amount, granted }) =>
    line(`${'  '.repeat(level)}${words}`, [grouped(count), amountOf(amount), amountOf(granted)]),
  );
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

function row(label: string, count: number): string {
  return `${label.padEnd(24)}${grouped(count).padStart(12)}`;
}

function timeLine(started: string, finished: string | null, isHeld: boolean): string {
  if (!finished) return `Started ${started}, not finished yet.`;
  const seconds = (Date.parse(finished) - Date.parse(started)) / 1_000;
  return `Started ${started}, ${isHeld ? 'nothing left to send since' : 'finished'} ${finished} (${seconds.toFixed(1)} s).`;
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
