import { counted } from '../../../counted.ts';
import type { Approval, ApprovalPolicy } from '../../../ledger/schema/approval.ts';
import type { PreviewState } from '../../../portfolio/draft-desk.ts';
import type { PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import type { LineToMend, Preview } from '../../../portfolio/preview.ts';
import { readingWords } from '../../../portfolio/read-options.ts';
import type { Rights } from '../../access/access.ts';
import { type Html, html } from '../../html/html.ts';
import { actionButton, linkButton } from '../../parts/button.ts';
import { notice } from '../../parts/notice.ts';
import { pageHead, panel } from '../../parts/page-head.ts';
import { timeAgo } from '../../parts/time.ts';
import { peopleWords } from '../approvals/approval-words.ts';
import { forPage } from './for-page.ts';
import { type MendPlace, mendGrid } from './mend-grid.ts';
import { PROGRESS_ID, previewProgress } from './progress-view.ts';
import { readingForm, readingWords as understoodWords } from './reading-form.ts';
import { changesView, requestFigures, requestSamples } from './requests-view.ts';
import { sentences } from './sentences.ts';
import { portfolioField, submitButtons } from './submit-view.ts';
import { draftWords } from './words.ts';

type DraftGiven = {
  state: PreviewState;
  place: MendPlace;
  lines: readonly LineToMend[];
  names: readonly string[];
  approvalPolicy: ApprovalPolicy;
  /** Which of its authors, or whether whoever looks, would ask for more with it than one person may. */
  over: Approval['over'];
  csrf: string;
  /** Also whether the portfolio that it is for is one's own. */
  rights: Rights;
};

/** An upload, before anything of it is requested: what was understood, what would be requested, what is wrong, and the yes. */
export function draftView(draft: PortfolioDraft, given: DraftGiven): Html {
  const { state, csrf } = given;
  return html`${pageHead({
    title: html`<bdi>${draft.name}</bdi>`,
    trail: [{ href: '/new', words: 'New portfolio' }],
    lead: html`${draftWords(draft)} · uploaded ${timeAgo(draft.uploadedMs)}`,
    actions: html`${linkButton({ href: `/new/${draft.id}/file`, words: 'Download', kind: 'quiet', download: true, label: 'Download the file as it is now' })}
      ${actionButton({ action: `/new/${draft.id}/remove`, csrf, words: 'Remove', kind: 'quiet', label: `Remove the upload ${draft.name}` })}`,
  })}
  ${keptNotice(draft, csrf)}${submittedNotice(draft)}
  ${state.is === 'under way' && panel({ title: 'Reading the file', body: html`<div data-module="follow"><div id="${PROGRESS_ID}">${previewProgress(draft, state)}</div></div>` })}
  ${state.is === 'failed' && failedView(draft, forPage(state.message), csrf)}
  ${state.is === 'there' && previewView(draft, { ...given, preview: state.preview })}`;
}

function keptNotice({ id, keptFrom, offered }: PortfolioDraft, csrf: string): Html | false {
  if (offered) {
    const { name, keptMs, by, reading } = offered;
    return notice(
      'warn',
      html`${readerWords(by)} read that file otherwise ${timeAgo(keptMs)}: <bdi>${readingWords(reading)}</bdi>. This one has the same columns, and is
      read as it stands. Whoever says how a file is read cannot approve it.
      ${actionButton({ action: `/new/${id}/reading`, csrf, words: 'Read it so', kind: 'quiet', fields: { offered: 'yes' } })}`,
      { title: `A file of the form of ${name}.` },
    );
  }
  if (!keptFrom) return false;
  return notice(
    'info',
    html`Its columns are the same, so it is read as ${readerWords(keptFrom.by)} corrected that file ${timeAgo(keptFrom.keptMs)}.
      ${actionButton({ action: `/new/${id}/reading`, csrf, words: 'Read it as it stands, and forget the corrections', kind: 'quiet', fields: { forget: 'yes' } })}`,
    { title: `A file of the form of ${keptFrom.name}.` },
  );
}

const readerWords = (by: readonly string[]) => (by.length === 0 ? 'somebody' : peopleWords(by));

function submittedNotice({ id, submitted }: PortfolioDraft): Html | false {
  if (!submitted) return false;
  const href = `/portfolios/${encodeURIComponent(submitted.portfolio)}`;
  const { ended, fault } = submitted;
  if (ended && ended.faults.length === 0) {
    return notice(
      'good',
      html`${counted(ended.lines, 'line')} of version ${submitted.version} ${timeAgo(ended.atMs)}: <a href="${href}">to the portfolio <bdi>${submitted.portfolio}</bdi></a>.`,
      { title: 'It was imported.' },
    );
  }
  if (ended) return notice('bad', ended.faults.join(' '), { title: 'Nothing of it was imported.' });
  return notice(
    'warn',
    html`${fault === null ? 'It was interrupted, or is still under way in another process.' : fault} Submit it again to go on where it stopped: nothing is doubled. <a href="/new/${id}/import">See how far it is</a>.`,
    { title: `The import into ${submitted.portfolio} has not ended.` },
  );
}

function failedView({ id, reading }: PortfolioDraft, message: string, csrf: string): Html {
  const isCorrected = Object.keys(reading).length > 0;
  return html`${notice('bad', message, { title: 'The file cannot be read so.', urgent: true })}
    <div class="actions">${actionButton({ action: `/new/${id}/again`, csrf, words: 'Read it again' })}
      ${isCorrected && actionButton({ action: `/new/${id}/reading`, csrf, words: 'Read it as it stands', fields: { forget: 'yes' } })}</div>`;
}

function previewView(draft: PortfolioDraft, given: DraftGiven & { preview: Preview }): Html {
  const { preview, place, lines, names, csrf } = given;
  const { faults, fileWarnings, problems, warnings } = preview;
  const isUsable = faults.length === 0;
  const reading = panel({
    title: 'How the file is read',
    body: html`<p>${understoodWords(preview)}</p>${readingForm(draft, preview, csrf)}`,
  });
  if (!isUsable) {
    return html`${notice('bad', sentences(faults, forPage), { title: 'Nothing of it can be imported as it is read now.', urgent: true })}${reading}
      ${panel({ title: 'Portfolio', body: portfolioField(draft, names) })}`;
  }
  return html`${panel({
    title: 'What would be requested',
    body: html`${requestFigures(preview)}${fileWarnings.length > 0 && notice('warn', sentences(fileWarnings, forPage))}`,
    actions: html`<span class="hint">as of ${timeAgo(preview.madeMs)}</span>${actionButton({ action: `/new/${draft.id}/again`, csrf, words: 'Look again', kind: 'quiet' })}`,
  })}
  ${problems.lines + warnings.lines > 0 && html`<div id="mend">${panel({ title: 'Lines to look at', body: mendGrid(draft, { preview, place, lines, csrf }) })}</div>`}
  ${reading}
  ${panel({ title: 'As it would be sent', body: html`${requestSamples(preview)}${changesView(preview)}${unnamed(preview)}` })}
  ${panel({ title: 'Submit', body: html`${portfolioField(draft, names)}${submitButtons(draft, given)}` })}`;
}

function unnamed({ unnamedDocuments }: Preview): Html | false {
  if (unnamedDocuments.length === 0) return false;
  const more = unnamedDocuments.length > 20 ? ' …' : '';
  return html`<p>Documents that no line names: ${unnamedDocuments.slice(0, 20).map((name) => html`<bdi>${name}</bdi> `)}${more}</p>`;
}
