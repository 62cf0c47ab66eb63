import { allBeforeWords, grouped, moneyText, sizeWords } from '../../../counted.ts';
import type { Approval, ApprovalPolicy } from '../../../ledger/schema/approval.ts';
import { asksApprovalOf, BEFORE_YES, whyWords } from '../../../ledger/schema/approval.ts';
import type { PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import { type Preview, sumAfter } from '../../../portfolio/preview.ts';
import { can, type Rights } from '../../access/access.ts';
import { countWords, type Html, html, t } from '../../html/html.ts';
import { notice, requestBodies, table } from '../../parts/blocks.ts';
import { stats } from '../../parts/figures.ts';
import { button, tick } from '../../parts/form.ts';
import { commandLine, money, shellWord, theirWords, withNumbers } from '../../parts/text.ts';
import { secondLimitWords } from './confirm-view.ts';
import { DRAFT_FORM } from './reading-form.ts';
import { DELIMITER_WORDS, durationWords, otherCurrencyWords } from './words.ts';

/** The number of rows that are sent as a trial before the others. */
export const SENT_FIRST = 5;

export type SubmitGiven = {
  preview: Preview;
  names: readonly string[];
  /** The currencies and the sum of the rows that the portfolio has already; undefined for a new portfolio. */
  there: { currencies: readonly string[]; sum: string } | undefined;
  approvalPolicy: ApprovalPolicy;
  over: Approval['over'];
  rights: Rights;
};

/** The field for the portfolio into which the file is imported, new or existing. */
export function portfolioField({ id, portfolio }: PortfolioDraft, names: readonly string[]): Html {
  return html`<div class="portfolio-form">
    <div class="field"><label for="portfolio">Portfolio</label>
      <input class="input" id="portfolio" form="${DRAFT_FORM}" name="portfolio" value="${portfolio}" list="portfolios" maxlength="64" autocomplete="off" aria-describedby="portfolio-hint">
      <datalist id="portfolios">${names.slice(0, MOST_NAMES).map((name) => html`<option value="${name}"></option>`)}</datalist>
      <p class="hint" id="portfolio-hint">A new name, or the name of a portfolio that exists.</p></div>
    ${button({ words: t`Check for this portfolio`, form: DRAFT_FORM, action: `/new/${id}/portfolio` })}
  </div>`;
}

/** The most names of portfolios that the field suggests; any other name can be typed. */
const MOST_NAMES = 500;

/** The submit buttons: request all, or a few rows first. */
export function submitButtons(
  draft: PortfolioDraft,
  { preview, there, approvalPolicy, over, rights }: SubmitGiven,
): Html {
  if (preview.counts.rows === 0) return notice('warn', NO_ROWS, { title: t`Nothing can be imported yet.` });
  const { portfolio } = draft;
  const sends = { form: DRAFT_FORM, action: `/new/${draft.id}/confirm`, dialog: true };
  const { limits, requested, before } = preview.dryRun;
  const left = allBeforeWords(preview.counts.rows, before?.limits) ?? t`nothing to request`;
  const isThere = there !== undefined;
  const sum = t`${countWords(limits, 'limit')}, ${moneyText(requested, preview.currency)} in total`;
  const words = limits === 0 ? t`Import: ${left}` : withNumbers(t`Request all: ${sum}`);
  return html`${isThere && thereAlready(portfolio, preview.dryRun)}${mixedCurrencies(preview, there?.currencies)}
  ${limits > 0 && neededApproval(approvalPolicy, { dryRun: preview.dryRun, there, over })}
  <div class="form submit" role="group" aria-label="Submit">
      ${isThere && can(rights, 'POST /new/:id/submit', 'replace') && tick({ form: DRAFT_FORM, name: 'replace', label: t`Cancel earlier rows that are not in this file, if they were not sent yet`, hint: t`Choose this if the file is the whole list.` })}
      <div class="field" data-module="total"><label for="total">Control total</label>
        <input class="input" id="total" form="${DRAFT_FORM}" name="total" inputmode="decimal" maxlength="40" autocomplete="off" aria-describedby="total-hint">
        <p class="hint" id="total-hint">The sum of all lines by your own records. If the file adds up to another sum, nothing of it is imported. You can leave this empty.</p></div>
      <div class="submit-ways">
        ${limits > SENT_FIRST && html`<div class="way">${button({ ...sends, words: t`Send ${SENT_FIRST}, then wait`, name: 'first', value: String(SENT_FIRST) })}<span class="hint">Then the portfolio pauses. ${can(rights, 'POST /portfolios/:name/resume', 'first rows') ? t`Look at the answers and resume it` : t`An operator looks at the answers and resumes it`}, and the rest is sent.</span></div>`}
        <div class="way">${button({ ...sends, words, kind: 'primary' })}<span class="hint">Exactly what this page shows is imported.</span></div>
      </div>
      <p class="same-command">${commandLine(sameCommand(draft), t`The same from a terminal:`)}</p>
  </div>`;
}

/** The message where no line of the file can become a row, so that there is nothing to import. */
export const NO_ROWS = t`No line of this file can be requested. Fix the lines listed on this page, or put lines back that were left out.`;

function thereAlready(portfolio: string, dryRun: Preview['dryRun']): Html {
  const words = html`Portfolio <a href="/portfolios/${encodeURIComponent(portfolio)}"><bdi>${portfolio}</bdi></a> exists already. What was requested before is not requested again. Rows that were not sent yet are updated from this file. ${lackingWords(dryRun)}`;
  return notice('info', words, { title: t`This adds to a portfolio.` });
}

/** How many earlier rows are not in the file: nobody who left a list is overlooked, and nobody's limit ends by that. */
function lackingWords({ lacking, lackingSent, lackingNames = [] }: Preview['dryRun']): Html | string {
  if (lacking === undefined || lackingSent === undefined) return t`Rows that are not in this file stay.`;
  const all = lacking + lackingSent;
  if (all === 0) return t`All of its rows are in this file.`;
  const unsent = lacking === 0 ? '' : t` (${grouped(lacking)} of them not sent yet)`;
  const words = withNumbers(
    t`${countWords(all, 'row is', 'rows are')} not in this file${unsent} and ${all === 1 ? t`stays` : t`stay`}`,
  );
  const names = lackingNames.map((name, at) => html`${at > 0 && ', '}${theirWords(name)}`);
  return html`${words}${names.length > 0 && html`: ${names}${all > names.length && ', …'}`}.`;
}

/**
 * A warning that the file has another currency than the portfolio's other files; false if it has not. Shown before the
 * submission, and in its confirmation.
 */
export function mixedCurrencies({ currency }: Preview, currencies?: readonly string[]): Html | false {
  const words = otherCurrencyWords(currency, currencies);
  return words !== '' && notice('warn', words);
}

/**
 * A notice that a colleague must approve this import, or may have to; false if not. Shown before the submission and in its
 * confirmation: nobody should count on a request that waits, for example at a month's end.
 */
export function neededApproval(
  policy: ApprovalPolicy,
  { dryRun, there, over }: { dryRun: Preview['dryRun']; there: SubmitGiven['there']; over: Approval['over'] },
): Html | false {
  const { requested } = dryRun;
  const title = t`A colleague must approve this first.`;
  const limit = policy.above === undefined ? '' : moneyText(policy.above);
  if (asksApprovalOf(policy, requested)) {
    const why = policy.always
      ? t`It waits once it is submitted`
      : t`It asks for ${moneyText(requested)}, which is above ${limit}`;
    return notice('warn', withNumbers(`${why}: ${BEFORE_YES}.`), { title });
  }
  if (over)
    return notice('warn', withNumbers(t`${whyWords({ kind: 'import', over })} Once it is submitted, ${BEFORE_YES}.`), {
      title,
    });
  const { above, windowDays = 0 } = policy;
  const sum = sumAfter(dryRun, there?.sum ?? '0');
  if (sum !== undefined && asksApprovalOf(policy, sum)) {
    const words = t`The portfolio asks for ${moneyText(sum)} with this file, what was requested before included. That is above ${limit}: ${BEFORE_YES}.`;
    return notice('warn', withNumbers(words), { title });
  }
  // The import decides by what each buyer asks for within the days of the window, too, which this file does not show.
  const whose = [
    ...(there && sum === undefined ? [t`the sum of the portfolio`] : []),
    ...(windowDays > 0 ? [t`the sum of one buyer`] : []),
  ];
  if (above === undefined || whose.length === 0) return false;
  return notice('info', withNumbers(t`If ${whose.join(t` or `)} is above ${limit} with this file, ${BEFORE_YES}.`));
}

/**
 * The command that does the same with a local file. Constants, which no option can state, are named as a file `mapping.json`. The
 * page adds a control total as it is typed (total of assets/script/elements.js).
 */
export function sameCommand({ name, portfolio, reading, documents, supplier, isArchive }: PortfolioDraft): string {
  const { encoding, delimiter, sheet, headerLine, mapping, decimal, dates, hiddenRows } = reading;
  const hasConstants = Object.keys(mapping?.constants ?? {}).length > 0;
  const maps = Object.entries(mapping?.columns ?? {}).flatMap(([written, known]) => [
    '--map',
    `${written}=${known ?? ''}`,
  ]);
  const [document] = documents;
  const words = [
    'npx',
    'limitline',
    'run',
    // A name that begins with a dash would be read as an option.
    name.startsWith('-') ? `./${name}` : name,
    ...['--portfolio', portfolio],
    ...(isArchive && document ? ['--documents', document.name] : documents.length > 0 ? ['--documents', 'FOLDER'] : []),
    ...(supplier ? ['--supplier', supplier.name] : []),
    ...(encoding === undefined ? [] : ['--encoding', encoding]),
    ...(delimiter === undefined ? [] : ['--delimiter', DELIMITER_WORDS[delimiter] ?? delimiter]),
    ...(sheet === undefined ? [] : ['--sheet', sheet]),
    ...(headerLine === undefined ? [] : ['--header-line', String(headerLine)]),
    ...(hasConstants ? ['--map', 'mapping.json'] : []),
    ...maps,
    ...(decimal === undefined ? [] : ['--decimal', decimal === '.' ? 'point' : 'comma']),
    ...(dates === undefined ? [] : ['--dates', dates]),
    ...(hiddenRows === undefined ? [] : ['--hidden-rows']),
  ];
  return words.map(shellWord).join(' ');
}

export function requestFigures(preview: Preview, rights: Rights): Html {
  const { counts, dryRun, ratePerS, problems, warnings, fileWarnings, currency } = preview;
  const { limits, requested, companies, documents, uploadBytes, durationS, before } = dryRun;
  const calls = limits + companies + documents;
  const asked = allBeforeWords(counts.rows, before?.limits) ?? countWords(limits, 'limit');
  return html`<div class="request-figures">${stats([
    { label: t`Would be requested`, value: money({ amount: requested, currency }), hint: asked },
    {
      label: t`Calls`,
      value: grouped(calls),
      hint: `${countWords(companies, 'company', 'companies')}, ${countWords(documents, 'document')}${documents > 0 ? ` (${sizeWords(uploadBytes)})` : ''}, ${countWords(limits, 'limit')}`,
    },
    {
      label: t`Time needed`,
      value: durationS === null ? t`not known yet` : t`about ${durationWords(durationS)}`,
      hint:
        ratePerS === null
          ? t`known once requests are being sent`
          : t`at ${ratePerS < 10 ? ratePerS.toFixed(1) : Math.round(ratePerS)} calls a second`,
    },
    { label: t`Lines`, value: grouped(counts.lines), hint: t`${grouped(counts.rows)} good` },
    {
      label: t`Invalid`,
      value: grouped(counts.invalid),
      hint: t`not requested`,
      ...(counts.invalid > 0 ? { kind: 'bad' as const } : {}),
    },
    {
      label: t`Duplicate`,
      value: grouped(counts.duplicate),
      hint: t`requested only once`,
      ...(counts.duplicate > 0 ? { kind: 'warn' as const } : {}),
    },
    { label: t`Requested before`, value: grouped(before?.limits ?? 0), hint: t`not requested again` },
    {
      label: t`Warnings`,
      value: grouped(warnings.lines + fileWarnings.length),
      hint: t`${warningPlaces(warnings.lines, fileWarnings.length)}for your information`,
      ...(warnings.lines + fileWarnings.length > 0 ? { kind: 'warn' as const } : {}),
    },
  ])}</div>
  ${besideWords(dryRun, rights)}
  ${problems.lines > 0 && html`<p class="to-mend"><a href="#mend">${withNumbers(countWords(problems.lines, 'line'))} would not be requested: fix ${problems.lines === 1 ? t`it` : t`them`} here, or leave ${problems.lines === 1 ? t`it` : t`them`} out.</a></p>`}`;
}

function besideWords(dryRun: Preview['dryRun'], rights: Rights): Html {
  const { open, before, existing } = dryRun;
  const sentences: string[] = [];
  if (open > 0) sentences.push(t`${countWords(open, 'of them waits', 'of them wait')} already.`);
  sentences.push(...secondLimitWords(dryRun));
  if (existing > 0) {
    sentences.push(t`${grouped(existing)} of their companies ${existing === 1 ? t`exists` : t`exist`} already.`);
  }
  const { held = 0, needAnswer = 0 } = before ?? {};
  const sent = held - needAnswer;
  if (sent > 0) {
    sentences.push(t`${countWords(sent, 'more is', 'more are')} being processed and will not be requested again.`);
  }
  const needWords = withNumbers(countWords(needAnswer, 'more needs an answer', 'more need an answer'));
  const toHeld = can(rights, 'GET /held') ? html`<a href="/held">${needWords}</a>` : needWords;
  return html`${sentences.length > 0 && html`<p>About the limits: ${withNumbers(sentences.join(' '))}</p>`}${needAnswer > 0 && html`<p>${toHeld} and will not be requested again.</p>`}`;
}

/** How many warnings are about lines and how many about the whole file; '' if none is about the whole file. */
function warningPlaces(lines: number, ofFile: number): string {
  if (ofFile === 0) return '';
  const whole = t`${grouped(ofFile)} on the whole file; `;
  return lines === 0 ? whole : `${countWords(lines, 'line')}, ${whole}`;
}

/** The largest requests, and the bodies of the first calls. */
export function requestSamples({ largest, first, currency }: Preview): Html {
  return html`${
    largest.length > 0 &&
    table({
      caption: t`The largest requests`,
      showCaption: true,
      rows: largest,
      columns: [
        { head: t`Line`, kind: 'number', cell: ({ line }) => grouped(line) },
        { head: t`Buyer`, names: true, cell: ({ name }) => theirWords(name) },
        { head: t`Requested`, kind: 'amount', cell: ({ requested }) => money({ amount: requested, currency }) },
      ],
    })
  }
  ${requestBodies(first)}`;
}

/** Cells whose value is sent in another form than the file has. */
export function changesView({ changes }: Preview): Html | false {
  if (changes.length === 0) return false;
  return html`<details class="changes" id="changes"><summary>Values we reformatted</summary><ul>${changes.map(
    ({ column, count, value, became, message }) =>
      html`<li><strong><bdi>${column}</bdi></strong>: ${withNumbers(countWords(count, 'cell'))}, such as <q>${theirWords(value)}</q> as <q>${became === '' ? 'nothing' : theirWords(became)}</q>. ${message}</li>`,
  )}</ul></details>`;
}
