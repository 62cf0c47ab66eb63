import { allBeforeWords, counted, grouped, sizeWords } from '../../../counted.ts';
import { moneyText } from '../../../money-text.ts';
import type { Preview } from '../../../portfolio/preview.ts';
import { type Html, html } from '../../html/html.ts';
import { stats } from '../../parts/figures.ts';
import { requestBodies } from '../../parts/request-bodies.ts';
import { table } from '../../parts/table.ts';
import { theirWords } from '../../parts/their-words.ts';
import { durationWords } from './words.ts';

/** With two decimals at least, as people expect of money. */
function money(text: string): Html {
  return html`<span class="amount">${moneyText(text)}</span>`;
}

/** What an import would ask for and make, in figures. */
export function requestFigures({ counts, dryRun, ratePerS, problems, warnings, fileWarnings }: Preview): Html {
  const { limits, requested, companies, documents, uploadBytes, durationS, before } = dryRun;
  const calls = limits + companies + documents;
  const asked = allBeforeWords(counts.rows, before?.limits) ?? counted(limits, 'limit');
  return html`<div class="request-figures">${stats([
    { label: 'Would be requested', value: money(requested), hint: asked },
    {
      label: 'Calls',
      value: grouped(calls),
      hint: `${counted(companies, 'company', 'companies')}, ${counted(documents, 'document')}${documents > 0 ? ` (${sizeWords(uploadBytes)})` : ''}, ${counted(limits, 'limit')}`,
    },
    {
      label: 'Takes',
      value: durationS === null ? 'not known yet' : `about ${durationWords(durationS)}`,
      hint:
        ratePerS === null
          ? 'the service’s pace is found out on the way'
          : `at ${ratePerS < 10 ? ratePerS.toFixed(1) : Math.round(ratePerS)} calls a second`,
    },
    { label: 'Lines', value: grouped(counts.lines), hint: `${grouped(counts.rows)} good` },
    {
      label: 'Invalid',
      value: grouped(counts.invalid),
      hint: 'not requested',
      ...(counts.invalid > 0 ? { kind: 'bad' as const } : {}),
    },
    {
      label: 'Duplicate',
      value: grouped(counts.duplicate),
      hint: 'requested once',
      ...(counts.duplicate > 0 ? { kind: 'warn' as const } : {}),
    },
    { label: 'Requested before', value: grouped(before?.limits ?? 0), hint: 'not requested again' },
    {
      label: 'Warnings',
      value: grouped(warnings.lines + fileWarnings.length),
      hint: `${fileWarnings.length > 0 ? `${counted(warnings.lines, 'line')}, ${grouped(fileWarnings.length)} on the whole file; ` : ''}they stop nothing`,
      ...(warnings.lines + fileWarnings.length > 0 ? { kind: 'warn' as const } : {}),
    },
  ])}</div>
  ${problems.lines > 0 && html`<p class="to-mend"><a href="#mend">${counted(problems.lines, 'line')} would not be requested: mend ${problems.lines === 1 ? 'it' : 'them'} here, or leave ${problems.lines === 1 ? 'it' : 'them'} out.</a></p>`}
  ${besideWords(dryRun)}`;
}

function besideWords({ open, besides, before }: Preview['dryRun']): Html {
  const sentences: string[] = [];
  if (open > 0) sentences.push(`${counted(open, 'of them waits', 'of them wait')} already.`);
  if (besides.limits > 0) {
    sentences.push(
      `${grouped(besides.limits)} of them ${besides.limits === 1 ? 'is for a buyer that has' : 'are for buyers that have'} another limit already, open or made.`,
    );
  }
  if (before && before.companies > 0)
    sentences.push(`${counted(before.companies, 'company exists', 'companies exist')} already.`);
  if (before && before.held > 0)
    sentences.push(`${counted(before.held, 'more is', 'more are')} held or under way and will not be requested again.`);
  return html`${sentences.length > 0 && html`<p>${sentences.join(' ')}</p>`}`;
}

/** The largest requests, and the first as their calls would send them. */
export function requestSamples({ largest, first }: Preview): Html {
  return html`${
    largest.length > 0 &&
    table({
      caption: 'The largest requests',
      showCaption: true,
      rows: largest,
      columns: [
        { head: 'Line', kind: 'number', cell: ({ line }) => grouped(line) },
        { head: 'Buyer', names: true, cell: ({ name }) => theirWords(name) },
        { head: 'Requested', kind: 'amount', cell: ({ requested }) => money(requested) },
      ],
    })
  }
  ${requestBodies(first)}`;
}

/** Cells that are sent otherwise than they were written. */
export function changesView({ changes }: Preview): Html | false {
  if (changes.length === 0) return false;
  return html`<details class="changes" id="changes"><summary>Cells that are sent otherwise than they are written</summary><ul>${changes.map(
    ({ column, count, value, became, message }) =>
      html`<li><strong><bdi>${column}</bdi></strong>: ${counted(count, 'cell')}, such as <q>${theirWords(value)}</q> as <q>${became === '' ? 'nothing' : theirWords(became)}</q>. ${message}</li>`,
  )}</ul></details>`;
}
