import { counted, grouped } from '../../../counted.ts';
import { moneyText } from '../../../money-text.ts';
import type { PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import type { Preview } from '../../../portfolio/preview.ts';
import { type Html, html } from '../../html/html.ts';
import { button, form, hidden, linkButton } from '../../parts/form.ts';
import { durationWords } from './words.ts';

/** What the person chose beside the file. */
type Chosen = { of: string; total: string | undefined; isReplaced: boolean; first: number | undefined };

/** The last question before an import: how many requests, which sum, how long. Shown as a dialog, or as a page without script. */
export function confirmView(
  draft: PortfolioDraft,
  { preview, chosen, approval, csrf }: { preview: Preview; chosen: Chosen; approval: Html | false; csrf: string },
): Html {
  const { id, name, portfolio } = draft;
  const { dryRun, currency, counts } = preview;
  const { of, total, isReplaced, first } = chosen;
  const sum = `${currency === undefined ? '' : `${currency} `}${moneyText(dryRun.requested)}`;
  const left = counts.invalid + counts.duplicate;
  const facts: [string, string][] = [
    ['Requests', counted(dryRun.limits, 'limit')],
    ['Sum', sum],
    ['Time needed', dryRun.durationS === null ? 'not known yet' : `about ${durationWords(dryRun.durationS)}`],
    ['Portfolio', portfolio],
    ['Left out', left === 0 ? 'no line' : `${grouped(counts.invalid)} invalid, ${grouped(counts.duplicate)} duplicate`],
    ...(total === undefined ? [] : [['Control total', moneyText(total)] satisfies [string, string]]),
  ];
  const fields = {
    of,
    ...(total && { total }),
    ...(isReplaced && { replace: 'yes' }),
    ...(first && { first: String(first) }),
  };
  const body = html`${Object.entries(fields).map(([field, value]) => hidden(field, value))}
    <div class="form-end">${button({ words: first === undefined ? `Request ${counted(dryRun.limits, 'limit')}` : `Send ${first}, then wait`, kind: 'primary' })}
      <a class="button is-quiet" href="/new/${id}" data-close>Back</a></div>`;
  return html`<h2 class="dialog-title">${dryRun.limits === 0 ? html`Import <bdi>${name}</bdi>?` : 'Request these limits?'}</h2>
    <dl class="facts">${facts.map(([word, value]) => html`<div><dt>${word}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl>
    ${first !== undefined && html`<p>The first ${first} are sent. Then the portfolio pauses.</p>`}
    ${isReplaced && html`<p>Earlier rows of this portfolio that are not in this file are cancelled, if they were not sent yet.</p>`}
    ${approval}
    ${form({ action: `/new/${id}/submit`, csrf, body, class: 'form' })}`;
}

/** Asks before an upload is removed. */
export function removalView({ id, name }: PortfolioDraft, csrf: string): Html {
  const body = html`<div class="actions">${button({ words: 'Remove', kind: 'danger' })}${linkButton({ href: `/new/${id}`, words: 'Keep it', kind: 'quiet' })}</div>`;
  return html`<h2 class="dialog-title">Remove <bdi>${name}</bdi>?</h2>
    <p>The file, its documents and all corrections are removed. Nothing of it was requested.</p>
    ${form({ action: `/new/${id}/remove`, csrf, body, class: 'form' })}`;
}
