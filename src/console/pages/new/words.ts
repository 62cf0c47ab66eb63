import { grouped, moneyText, sizeWords } from '../../../counted.ts';
import type { ImportMade } from '../../../ledger/portfolios/imports.ts';
import type { PreviewState } from '../../../portfolio/draft-desk.ts';
import { changedCells, type DraftVersion, type PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import type { Preview } from '../../../portfolio/preview.ts';
import type { Problem } from '../../../portfolio/problem.ts';
import { countWords, type Html, html, t } from '../../html/html.ts';
import { progressBar } from '../../parts/figures.ts';
import { linkButton } from '../../parts/form.ts';
import { withNumbers } from '../../parts/text.ts';

/** A duration for people: `50 s`, `4 min`, `2.0 h`. */
export function durationWords(seconds: number): string {
  if (seconds < 90) return t`${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? t`${minutes} min` : t`${(minutes / 60).toFixed(1)} h`;
}

/** That a file has another currency than its portfolio's other files; '' if it has not. */
export function otherCurrencyWords(currency = '', currencies: readonly string[] = []): string {
  const others = currencies.filter((one) => one !== currency && (one !== '' || currency !== ''));
  if (others.length === 0) return '';
  const named = others.map((one) => (one === '' ? t`no currency that they name` : one)).join(', ');
  const own = currency === '' ? t`names no currency` : t`is in ${currency}`;
  return t`This file ${own}. This portfolio’s other files are in ${named}. Sums of both have no currency.`;
}

export const DELIMITER_WORDS: Readonly<Record<string, string>> = {
  ',': t`comma`,
  ';': t`semicolon`,
  '\t': t`tab`,
  '|': t`pipe`,
};

/** The name of an encoding for people: `UTF-8`, `SHIFT-JIS`. */
export function encodingName(encoding: string): string {
  return encoding.toUpperCase().replace('_', '-');
}

/** How the file is encoded and delimited: `UTF-8, separated by commas`. */
export function previewDialectWords({ dialect }: Pick<Preview, 'dialect'>): string {
  if (dialect.sheet !== undefined) return t`sheet “${dialect.sheet}” of an Excel workbook`;
  const mark = dialect.bom ? t` with a byte order mark` : '';
  return t`${encodingName(dialect.encoding)}${mark}, separated by ${DELIMITER_WORDS[dialect.delimiter] ?? 'commas'}s`;
}

/** The corrections by which a version differs from the upload: `4 cells corrected, lines 11 and 16 left out`; '' for none. */
export function correctionWords(versions: readonly DraftVersion[], { number, leftOut }: DraftVersion): string {
  const cells = changedCells(versions.slice(0, versions.findIndex((one) => one.number === number) + 1));
  const [named, more] = [leftOut.slice(0, MOST_LINES), leftOut.length - MOST_LINES];
  const lines = t`${leftOut.length === 1 ? t`line` : t`lines`} ${named.map(grouped).join(', ')}${more > 0 ? t` and ${grouped(more)} more` : ''} left out`;
  const parts = [
    ...(cells > 0 ? [t`${countWords(cells, 'cell')} corrected`] : []),
    ...(leftOut.length > 0 ? [lines] : []),
  ];
  return parts.join(', ');
}

/** What people did with an imported file by hand: `1 value corrected, 1 line left out (2,000.00) by fin`; '' for nothing. */
export function madeWords({ corrected = 0, leftOut = 0, outSum, people = '' }: ImportMade): string {
  const parts = [
    ...(corrected > 0 ? [t`${countWords(corrected, 'value')} corrected`] : []),
    ...(leftOut > 0 ? [t`${countWords(leftOut, 'line')} left out${outSumWords(outSum)}`] : []),
  ];
  return parts.length === 0 || people === '' ? parts.join(', ') : t`${parts.join(', ')} by ${people}`;
}

/**
 * The amounts of lines left out by hand, in brackets and with their currency if it is known: ` (EUR 5,000.00)`; '' where no
 * amount can be read.
 */
export function outSumWords(sum: DraftVersion['outSum'], currency?: string): string {
  if (sum === undefined || sum.amount === '0') return '';
  const amount = moneyText(sum.amount, currency);
  return ` (${sum.bare > 0 ? t`at least ${amount}` : amount})`;
}

const MOST_LINES = 8;

/** The file, its documents and its versions in a sentence. */
export function draftWords({ versions, documents, isArchive }: PortfolioDraft): string {
  const last = versions.at(-1);
  const parts = [sizeWords(last?.sizeBytes ?? 0)];
  const sizes = documents.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (isArchive) parts.push(t`documents in a ZIP file of ${sizeWords(sizes)}`);
  else if (documents.length > 0) parts.push(t`${countWords(documents.length, 'document')} of ${sizeWords(sizes)}`);
  const kept = documents.filter(({ isKept }) => isKept).length;
  if (kept > 0) parts.push(t`${countWords(kept, 'document')} kept from before`);
  const words = last && correctionWords(versions, last);
  if (last && words) parts.push(t`version ${last.number}: ${words}; the uploaded file is kept too`);
  return parts.join(' · ');
}

type Said = Pick<Problem, 'column' | 'message'>;

const MOST_SENTENCES = 50;

/**
 * The problems of a whole file, cut after MOST_SENTENCES, since a file may have thousands of columns.
 *
 * @param wordsOf rewrites a message for the page that shows it
 */
export function sentences(problems: readonly Said[], wordsOf: (message: string) => string = String): Html {
  const others = problems.length - MOST_SENTENCES;
  return html`<ul>${problems.slice(0, MOST_SENTENCES).map((one) => sentenceOf(one, wordsOf))}${others > 0 && html`<li>And ${withNumbers(grouped(others))} more.</li>`}</ul>`;
}

/** Names the column first, since the message may say "this column". */
function sentenceOf({ column, message }: Said, wordsOf: (message: string) => string): Html {
  return html`<li>${column !== null && html`<strong><bdi>${column}</bdi>:</strong> `}${withNumbers(wordsOf(message))}</li>`;
}

/** The id of the element for progress, in the pages and in the frames of their events. */
export const PROGRESS_ID = 'progress';

/** How far the reading of an upload is; at its end, `data-go` tells the browser's module `follow` where to go. */
export function previewProgress({ id }: Pick<PortfolioDraft, 'id'>, state: PreviewState): Html {
  if (state.is === 'under way') {
    return progressBar({
      label: t`Reading the file`,
      done: state.lines,
      words: t`${countWords(state.lines, 'line')} read`,
    });
  }
  return html`<p data-go="/new/${id}">${linkButton({ href: `/new/${id}`, words: t`Show the result`, kind: 'primary' })}</p>`;
}

/** How far an import is. When the import ends, the attribute `data-go` has the address that the browser's script `follow` opens next. */
export function importProgress(
  { id, submitted, versions }: PortfolioDraft,
  { progress, total }: { progress: { lines: number } | undefined; total: number | undefined },
): Html {
  if (progress) {
    const words =
      total === undefined
        ? t`${countWords(progress.lines, 'line')} imported`
        : t`${grouped(progress.lines)} of ${countWords(total, 'line')} imported`;
    return progressBar({ label: t`Importing`, done: progress.lines, ...(total === undefined ? {} : { total }), words });
  }
  const isDone = submitted?.ended && submitted.ended.faults.length === 0 && versions.length > 0;
  const href = isDone ? `/portfolios/${encodeURIComponent(submitted.portfolio)}` : `/new/${id}`;
  const words = isDone ? t`Imported: open the portfolio` : t`The import stopped: see why`;
  return html`<p data-go="${href}">${linkButton({ href, words, kind: 'primary' })}</p>`;
}
