import type { Approval, ApprovalPolicy } from '../../../ledger/schema/approval.ts';
import { agreesWords } from '../../../portfolio/control-total.ts';
import type { PreviewState } from '../../../portfolio/draft-desk.ts';
import { keptVersions, lastVersion, type PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import type { LineToMend, Preview } from '../../../portfolio/preview.ts';
import { readingWords } from '../../../portfolio/read-options.ts';
import { unsentWords } from '../../../portfolio/supplier.ts';
import type { Rights } from '../../access/access.ts';
import { countWords, type Html, html, t } from '../../html/html.ts';
import { notice, pageHead, panel, table } from '../../parts/blocks.ts';
import { actionButton, button, field, form, hidden, linkButton, select } from '../../parts/form.ts';
import { commandLine, count, theirWords, timeAgo, withNumbers } from '../../parts/text.ts';
import { peopleWords } from '../approvals/approvals-list.ts';
import { cellsTable, forPage, mendGrid, type ShownPlace } from './mend-grid.ts';
import type { RefusedForm } from './read-reading.ts';
import { previewReadingWords, readingForm } from './reading-form.ts';
import type { SubmitGiven } from './submit-view.ts';
import { changesView, portfolioField, requestFigures, requestSamples, submitButtons } from './submit-view.ts';
import { correctionWords, draftWords, PROGRESS_ID, previewProgress, sentences } from './words.ts';

type DraftGiven = {
  state: PreviewState;
  place: ShownPlace;
  lines: readonly LineToMend[];
  names: readonly string[];
  there: SubmitGiven['there'];
  approvalPolicy: ApprovalPolicy;
  /** Which of the draft's authors, or the reader, exceeds the limit for one person with this file. */
  over: Approval['over'];
  csrf: string;
  /** The reader's rights; `owns` is about the portfolio of the draft. */
  rights: Rights;
  /** Why the form was refused, and what was typed in it. */
  refused: RefusedForm | undefined;
};

/** The page of an upload before its submission: how it is read, its requests, its problems, and the buttons that submit it. */
export function draftView(draft: PortfolioDraft, given: DraftGiven): Html {
  const { state, csrf, refused } = given;
  return html`${pageHead({
    title: html`<bdi>${draft.name}</bdi>`,
    trail: [{ href: '/new', words: t`New portfolio` }],
    lead: html`${draftWords(draft)} · uploaded ${uploadedWords(draft)}`,
    actions: html`${linkButton({ href: `/new/${draft.id}/file`, words: t`Download`, kind: 'quiet', download: true, label: t`Download the file as it is now` })}
      ${linkButton({ href: `/new/${draft.id}/remove`, words: t`Remove…`, kind: 'quiet', dialog: true, label: t`Remove the upload ${draft.name}` })}`,
  })}
  ${refused && notice('bad', forPage(refused.message), { title: t`Nothing was changed.`, urgent: true })}
  ${keptNotice(draft, csrf)}${submittedNotice(draft)}${versionsView(draft, csrf)}
  ${state.is === 'under way' && panel({ title: t`Reading the file`, body: html`<div data-module="follow"><div id="${PROGRESS_ID}">${previewProgress(draft, state)}</div></div>` })}
  ${state.is === 'failed' && failedView(draft, forPage(state.message), csrf)}
  ${state.is === 'there' && previewView(draft, { ...given, preview: state.preview })}`;
}

function keptNotice({ id, keptFrom, offered }: PortfolioDraft, csrf: string): Html | false {
  if (offered) {
    const { name, keptMs, by, reading } = offered;
    return notice(
      'warn',
      html`${readerWords(by)} changed how that file is read ${timeAgo(keptMs)}: <bdi>${readingWords(reading)}</bdi>. This one has the same columns, and those changes are not applied to it. Whoever changes how a file is read cannot approve it.
      ${actionButton({ action: `/new/${id}/reading`, csrf, words: t`Read this one the same way`, kind: 'quiet', fields: { offered: 'yes' } })}`,
      { title: t`It has the same columns as ${name}.` },
    );
  }
  if (!keptFrom) return false;
  return notice(
    'info',
    html`So it is read the way that ${readerWords(keptFrom.by)} set for that file ${timeAgo(keptFrom.keptMs)}.
      ${actionButton({ action: `/new/${id}/reading`, csrf, words: t`Undo these settings`, kind: 'quiet', fields: { forget: 'yes' } })}`,
    { title: t`It has the same columns as ${keptFrom.name}.` },
  );
}

const readerWords = (by: readonly string[]) => (by.length === 0 ? t`somebody` : peopleWords(by));

function submittedNotice({ id, submitted }: PortfolioDraft): Html | false {
  if (!submitted) return false;
  const href = `/portfolios/${encodeURIComponent(submitted.portfolio)}`;
  const { ended, fault, total } = submitted;
  if (ended && ended.faults.length === 0) {
    const words = html`${withNumbers(countWords(ended.lines, 'line'))} of version ${submitted.version} ${timeAgo(ended.atMs)}: <a href="${href}">to the portfolio <bdi>${submitted.portfolio}</bdi></a>. ${total !== undefined && withNumbers(agreesWords(total))}`;
    return notice('good', words, { title: t`It was imported.` });
  }
  if (ended) return notice('bad', ended.faults.join(' '), { title: t`Nothing was imported.` });
  const said = html`${fault === null ? t`It was interrupted, or is still under way in another process.` : fault} Submit it again to continue where it stopped: nothing is requested twice. <a href="/new/${id}/import">See the progress</a>.`;
  return notice('warn', said, { title: t`The import into ${submitted.portfolio} is not finished.` });
}

/** The form that restores an earlier version of the file, with the cells that the last version changed. */
function versionsView(draft: PortfolioDraft, csrf: string): Html | false {
  const kept = keptVersions(draft.versions);
  if (kept.length === 0) return false;
  const options = kept.map((version) => ({
    value: String(version.number),
    words:
      version.number === 1
        ? t`1, as it was uploaded`
        : `${version.number}: ${correctionWords(draft.versions, version)}`,
  }));
  const last = lastVersion(draft);
  const body = html`${hidden('version', String(last.number))}
    <span>${last.backTo === undefined ? t`This is version ${last.number}.` : t`This is version ${last.number}, the same as version ${last.backTo}.`}</span>
    ${select({ label: t`Version`, hideLabel: true, name: 'to', id: 'version-to', options })}${button({ words: t`Go back to it`, kind: 'quiet' })}`;
  return html`${form({ action: `/new/${draft.id}/back`, csrf, body, class: 'versions', label: t`Versions of the file` })}
    ${last.cells.length > 0 && html`<details class="check"><summary>What version ${last.number} changed</summary>${cellsTable(t`Cells changed by version ${last.number}`, last.cells)}</details>`}`;
}

function failedView({ id, reading }: PortfolioDraft, message: string, csrf: string): Html {
  const isCorrected = Object.keys(reading).length > 0;
  return html`${notice('bad', message, { title: t`The file cannot be read.`, urgent: true })}
    <div class="actions">${actionButton({ action: `/new/${id}/again`, csrf, words: t`Read it again` })}
      ${isCorrected && actionButton({ action: `/new/${id}/reading`, csrf, words: t`Undo the settings`, fields: { forget: 'yes' } })}</div>`;
}

function previewView(draft: PortfolioDraft, given: DraftGiven & { preview: Preview }): Html {
  const { preview, place, lines, names, csrf, refused, rights } = given;
  const { faults, fileWarnings, problems, warnings } = preview;
  const isUsable = faults.length === 0;
  const reading = panel({
    title: t`How the file is read`,
    body: html`<p>${previewReadingWords(preview)}</p>${readingForm(draft, preview, { csrf, typed: refused?.typed })}`,
  });
  if (!isUsable) {
    return html`${notice('bad', sentences(faults, forPage), { title: t`This file cannot be imported yet.`, urgent: true })}${reading}
      ${panel({ title: t`Portfolio`, body: portfolioField(draft, names) })}`;
  }
  return html`${panel({
    title: t`What would be requested`,
    body: html`${requestFigures(preview, rights)}${fileWarnings.length > 0 && notice('warn', sentences(fileWarnings, forPage))}`,
    actions: html`<span class="hint">checked ${timeAgo(preview.madeMs)}</span>${actionButton({ action: `/new/${draft.id}/again`, csrf, words: t`Refresh`, kind: 'quiet' })}`,
  })}
  ${problems.lines + warnings.lines > 0 && html`<div id="mend">${panel({ title: t`Problems and warnings`, body: html`${mendGrid(draft, { preview, place, lines, csrf })}${documentsForm(draft, preview, csrf)}` })}</div>`}
  ${reading}
  ${panel({ title: t`As it would be sent`, body: html`${requestSamples(preview)}${changesView(preview)}${unnamed(preview)}` })}
  ${panel({ title: t`Submit`, anchor: 'submit', body: html`${portfolioField(draft, names)}${supplierLine(draft)}${submitButtons(draft, given)}` })}`;
}

/** The form that adds a document that a line names and nobody has uploaded. Corrections that were saved stay. */
function documentsForm({ id }: PortfolioDraft, { columns, problems }: Preview, csrf: string): Html | false {
  const of = columns.find(({ known }) => known === 'supporting_documents')?.written;
  if (of === undefined || !problems.causes.some(({ column }) => column === of)) return false;
  const body = html`${field({ label: t`Add a missing document`, name: 'documents', type: 'file', multiple: true, hint: t`Name the file as your list does. Save your corrections above first: only saved ones stay.` })}
    ${button({ words: t`Add` })}`;
  return form({
    action: `/new/${id}/documents`,
    csrf,
    multipart: true,
    body,
    class: 'form mend-column',
    label: t`Missing documents`,
  });
}

/** Says that the import creates the supplier once, before any buyer; nothing where no supplier is named. */
function supplierLine({ supplier }: PortfolioDraft): Html | false {
  if (!supplier) return false;
  const { of, name, unsent } = supplier;
  return html`<p>Supplier: <strong>${theirWords(of)}</strong>, of <bdi>${name}</bdi>. It is created before the buyers, and only once. A supplier with an id exists already. ${theirWords(unsentWords(unsent).join(' '))}</p>`;
}

function unnamed({ unnamedDocuments }: Preview): Html | false {
  if (unnamedDocuments.length === 0) return false;
  const more = unnamedDocuments.length > 20 ? ' …' : '';
  return html`<p>Documents that no line refers to: ${unnamedDocuments.slice(0, 20).map((name) => html`<bdi>${name}</bdi> `)}${more}</p>`;
}

/** The page that uploads a file and its documents, and lists uploads that were not submitted yet. */
export function uploadView(given: { drafts: readonly PortfolioDraft[]; csrf: string; maxUploadMb: number }): Html {
  const { drafts, csrf, maxUploadMb } = given;
  // Imported uploads are left out: they are found among the portfolios.
  const waiting = drafts.filter(({ submitted }) => !submitted?.ended || submitted.ended.faults.length > 0);
  return html`${pageHead({
    title: t`New portfolio`,
    lead: t`Upload your list of buyers. You see what would be requested before anything is sent.`,
  })}
  ${form({ action: '/new/upload', csrf, multipart: true, class: 'upload', module: 'upload', body: uploadFields(maxUploadMb) })}
  ${waiting.length > 0 && panel({ title: t`Not submitted yet`, body: draftTable(waiting) })}`;
}

function uploadFields(maxUploadMb: number): Html {
  return html`<div class="drops">
      <div class="drop" data-drop="file">
        <label class="drop-label" for="upload-file">Your list of buyers</label>
        <p class="drop-words">Drop a CSV or an Excel workbook here, or choose it.</p>
        <input class="drop-input" id="upload-file" name="file" type="file" required accept=".csv,.txt,.tsv,.xlsx,.xlsm,text/csv" aria-describedby="upload-file-hint">
        <p class="hint" id="upload-file-hint">One line for each buyer, with a name and a limit.</p>
      </div>
      <div class="drop" data-drop="documents">
        <label class="drop-label" for="upload-documents">Supporting documents (optional)</label>
        <p class="drop-words">Drop the files here, or one ZIP file of them.</p>
        <input class="drop-input" id="upload-documents" name="documents" type="file" multiple aria-describedby="upload-documents-hint">
        <p class="hint" id="upload-documents-hint">File names must match your list.</p>
      </div>
    </div>
    ${field({ label: t`Supplier (only if it has to be created)`, name: 'supplier', type: 'file', accept: '.csv,.txt,.xlsx', hint: html`A CSV or workbook with a header and one line: the <code>name</code> of the company and its other details, or its <code>company_id</code>.` })}
    <div class="upload-progress" data-progress hidden>
      <progress aria-label="Upload" max="1" value="0"></progress><span data-words role="status"></span>
      <button class="button is-quiet" type="button" data-cancel>Cancel</button>
    </div>
    <div data-trouble role="alert"></div>
    <div class="beside">
      ${button({ words: t`Upload and check`, kind: 'primary' })}
      <span class="hint">Up to ${count(maxUploadMb)} MB. Uploading requests nothing.</span>${commandLine('npx limitline check FILE')}
    </div>`;
}

function draftTable(drafts: readonly PortfolioDraft[]): Html {
  return table({
    caption: t`Uploads that were not submitted`,
    rows: drafts,
    columns: [
      { head: t`File`, names: true, cell: ({ id, name }) => html`<a href="/new/${id}"><bdi>${name}</bdi></a>` },
      { head: t`Size`, cell: (draft) => draftWords(draft) },
      { head: t`Uploaded`, cell: uploadedWords },
      { head: t`Status`, cell: standsAt },
      {
        head: t`Continue`,
        kind: 'actions',
        cell: ({ id, name }) => linkButton({ href: `/new/${id}`, words: t`Continue`, label: t`Continue with ${name}` }),
      },
    ],
  });
}

/** When a file was uploaded, and by whom, since several people may upload at the same time. */
function uploadedWords({ uploadedMs, authors: [by] }: PortfolioDraft): Html {
  return html`<span>${timeAgo(uploadedMs)}${by && html` by <bdi>${by}</bdi>`}</span>`;
}

function standsAt({ submitted }: PortfolioDraft): string {
  if (!submitted) return t`not submitted`;
  return submitted.ended ? t`nothing was imported` : t`import into ${submitted.portfolio} not finished`;
}
