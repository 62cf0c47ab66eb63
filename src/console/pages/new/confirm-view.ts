import { grouped } from '../../../counted.ts';
import { otherSumWords, readTotal } from '../../../portfolio/control-total.ts';
import { lastVersion, type PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import type { Preview } from '../../../portfolio/preview.ts';
import { countWords, type Html, type HtmlValue, html, t } from '../../html/html.ts';
import { notice } from '../../parts/blocks.ts';
import { button, form, hidden, linkButton } from '../../parts/form.ts';
import { money, theirWords, withNumbers } from '../../parts/text.ts';
import { extrasWords } from './reading-form.ts';
import { durationWords, outSumWords } from './words.ts';

/** The person's choices for the import. `unsaved` is the number of changes of lines that they have not saved. */
type Chosen = {
  of: string;
  total: string | undefined;
  isReplaced: boolean;
  first: number | undefined;
  unsaved: number;
};

/** The last question before an import: how many requests, which sum, how long. Shown as a dialog, or as a page without script. */
export function confirmView(
  draft: PortfolioDraft,
  given: { preview: Preview; chosen: Chosen; mixed: Html | false; approval: Html | false; csrf: string },
): Html {
  const { preview, chosen, mixed, approval, csrf } = given;
  const { id, name, portfolio, supplier } = draft;
  const { dryRun, currency, counts } = preview;
  const { of, total, isReplaced, first, unsaved } = chosen;
  const other = total === undefined || preview.sum === undefined ? undefined : otherSumWords(total, preview.sum);
  const extras = extrasWords(preview);
  const again = (dryRun.before?.limits ?? 0) + (dryRun.before?.held ?? 0);
  const { leftOut, outSum } = lastVersion(draft);
  const facts: [string, HtmlValue][] = [
    [t`Requests`, withNumbers(countWords(dryRun.limits, 'limit'))],
    [t`Sum`, money({ amount: dryRun.requested, currency })],
    ...(again > 0
      ? [[t`Not requested again`, withNumbers(countWords(again, 'line'))] satisfies [string, HtmlValue]]
      : []),
    [t`Time needed`, dryRun.durationS === null ? t`not known yet` : t`about ${durationWords(dryRun.durationS)}`],
    [t`Portfolio`, portfolio],
    ...(supplier ? [[t`Supplier`, theirWords(supplier.of)] satisfies [string, HtmlValue]] : []),
    ...(extras === '' ? [] : [[t`Sent, though not described by the service`, extras] satisfies [string, string]]),
    ...(preview.warnings.lines > 0 ? [[t`Warnings`, warningsPart(id, preview)] satisfies [string, HtmlValue]] : []),
    [t`Left out`, withNumbers(`${leftOutWords({ ...counts, out: leftOut.length })}${outSumWords(outSum, currency)}`)],
    ...(total === undefined ? [] : [[t`Control total`, withNumbers(readTotal(total))] satisfies [string, HtmlValue]]),
  ];
  const fields = {
    of,
    ...(total && { total }),
    ...(isReplaced && { replace: 'yes' }),
    ...(first && { first: String(first) }),
  };
  const body = html`${Object.entries(fields).map(([field, value]) => hidden(field, value))}
    <div class="beside">${other === undefined && button({ words: first === undefined ? withNumbers(t`Request ${countWords(dryRun.limits, 'limit')}`) : t`Send ${first}, then wait`, kind: 'primary' })}
      <a class="button is-quiet" href="/new/${id}" data-close>Back</a></div>`;
  const secondLimits = secondLimitWords(dryRun);
  return html`<h2 class="dialog-title">${dryRun.limits === 0 ? html`Import <bdi>${name}</bdi>?` : t`Request these limits?`}</h2>
    <dl class="facts">${facts.map(([word, value]) => html`<div><dt>${word}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl>
    ${first !== undefined && html`<p>The first ${first} are sent. Then the portfolio pauses.</p>`}
    ${isReplaced && html`<p>${cancelledWords(dryRun)}</p>`}
    ${unsaved > 0 && notice('warn', withNumbers(t`${countWords(unsaved, 'change of a line is', 'changes of lines are')} not saved and will not be sent: go back, and save a new version.`))}
    ${other !== undefined && notice('bad', withNumbers(other), { title: t`Nothing of it would be imported.` })}
    ${secondLimits.length > 0 && notice('warn', withNumbers(secondLimits.join(' ')))}
    ${mixed}${approval}
    ${form({ action: `/new/${id}/submit`, csrf, body, class: 'form' })}`;
}

/** What `replace` cancels. */
function cancelledWords({ lacking, isCut }: Preview['dryRun']): Html | string {
  if (isCut)
    return t`No earlier row is cancelled: the file ends within its last line, which cannot be used, so it may be cut off.`;
  if (lacking === undefined)
    return t`Earlier rows of this portfolio that are not in this file are cancelled, if they were not sent yet.`;
  if (lacking === 0) return t`No earlier row is cancelled: each that was not sent yet is in this file.`;
  return withNumbers(
    t`${countWords(lacking, 'earlier row', 'earlier rows')} of this portfolio that ${lacking === 1 ? t`is` : t`are`} not in this file and ${lacking === 1 ? t`was` : t`were`} not sent yet ${lacking === 1 ? t`is` : t`are`} cancelled.`,
  );
}

/** Sentences about limits that would be requested in addition, for buyers that may be known, or after they were given up. */
export function secondLimitWords({ besides, alike = 0, revived = 0 }: Preview['dryRun']): string[] {
  const back = t`${grouped(revived)} of them ${revived === 1 ? t`was given up before and is` : t`were given up before and are`} requested after all.`;
  const others = t`${grouped(besides.limits)} of them ${besides.limits === 1 ? t`is for a buyer that has` : t`are for buyers that have`} another limit, open, made or in this file. ${besides.limits === 1 ? t`It is requested on top of that one.` : t`They are requested on top of those.`}`;
  const known = t`${grouped(alike)} of them ${alike === 1 ? t`is for a buyer` : t`are for buyers`} that may be known under another identifier.`;
  return [...(revived > 0 ? [back] : []), ...(besides.limits > 0 ? [others] : []), ...(alike > 0 ? [known] : [])];
}

/** How many lines have warnings, and in which columns most: another city may mean another buyer. The link leads to them. */
function warningsPart(id: string, { warnings: { lines, causes } }: Preview): Html {
  const columns = causes.flatMap(({ column }) => column ?? []).slice(0, MOST_COLUMNS);
  const named = columns.map((column, place) => html`${place === 0 ? ': ' : ', '}${theirWords(column)}`);
  return html`<a href="/new/${id}?list=warnings#mend">${withNumbers(countWords(lines, 'line'))}</a>${named}`;
}

/** The most columns that the question before an import names. */
const MOST_COLUMNS = 3;

function leftOutWords({ invalid, duplicate, out }: { invalid: number; duplicate: number; out: number }): string {
  const parts = Object.entries({ invalid, duplicate, 'by hand': out }).filter(([, lines]) => lines > 0);
  return parts.length === 0 ? t`no line` : parts.map(([words, lines]) => `${grouped(lines)} ${words}`).join(', ');
}

/** Asks before an upload is removed. */
export function removalView(
  { id, name, submitted }: PortfolioDraft,
  { seen, csrf }: { seen: string; csrf: string },
): Html {
  const body = html`${hidden('seen', seen)}<div class="actions">${button({ words: t`Remove`, kind: 'danger' })}${linkButton({ href: `/new/${id}`, words: t`Keep it`, kind: 'quiet' })}</div>`;
  return html`<h2 class="dialog-title">Remove <bdi>${name}</bdi>?</h2>
    <p>The file, its documents and all corrections are removed. ${submitted === null ? t`Nothing of it was requested.` : t`What was imported of it into ${submitted.portfolio} stays.`}</p>
    ${form({ action: `/new/${id}/remove`, csrf, body, class: 'form' })}`;
}
