import type { PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import { type Html, html } from '../../html/html.ts';
import { button, linkButton } from '../../parts/button.ts';
import { commandLine } from '../../parts/command-line.ts';
import { form } from '../../parts/form.ts';
import { pageHead, panel } from '../../parts/page-head.ts';
import { table } from '../../parts/table.ts';
import { timeAgo } from '../../parts/time.ts';
import { draftWords } from './words.ts';

/** Where one uploads: the file, its documents, and what was uploaded and not submitted yet. */
export function uploadView({
  drafts,
  csrf,
  maxUploadMb,
}: {
  drafts: readonly PortfolioDraft[];
  csrf: string;
  maxUploadMb: number;
}): Html {
  // What was imported is found among the portfolios.
  const waiting = drafts.filter(({ submitted }) => !submitted?.ended || submitted.ended.faults.length > 0);
  return html`${pageHead({
    title: 'New portfolio',
    lead: 'Upload the file of your buyers: nothing is requested before you have seen what would be.',
  })}
  ${form({ action: '/new/upload', csrf, multipart: true, class: 'upload', module: 'upload', body: uploadFields(maxUploadMb) })}
  ${waiting.length > 0 && panel({ title: 'Uploaded, not submitted', body: draftTable(waiting) })}`;
}

function uploadFields(maxUploadMb: number): Html {
  return html`<div class="drops">
      <div class="drop" data-drop="file">
        <label class="drop-label" for="upload-file">The file of buyers</label>
        <p class="drop-words">Drop a CSV or an Excel workbook here, or choose it.</p>
        <input class="drop-input" id="upload-file" name="file" type="file" required accept=".csv,.txt,.tsv,.xlsx,.xlsm,text/csv" aria-describedby="upload-file-hint">
        <p class="hint" id="upload-file-hint">Any encoding and delimiter; one line a buyer, with a name and a limit.</p>
      </div>
      <div class="drop is-second" data-drop="documents">
        <label class="drop-label" for="upload-documents">Supporting documents, if there are any</label>
        <p class="drop-words">Drop the files here, or one ZIP file of them.</p>
        <input class="drop-input" id="upload-documents" name="documents" type="file" multiple aria-describedby="upload-documents-hint">
        <p class="hint" id="upload-documents-hint">Under the names by which the lines of the file call them.</p>
      </div>
    </div>
    <div class="upload-progress" data-progress hidden>
      <progress aria-label="Upload" max="1" value="0"></progress><span data-words role="status"></span>
      <button class="button is-quiet" type="button" data-cancel>Give up</button>
    </div>
    <div data-trouble role="alert"></div>
    <div class="upload-end">
      ${button({ words: 'Upload and look at it', kind: 'primary' })}
      <span class="hint">Up to ${maxUploadMb.toLocaleString('en')} MB. Nothing is requested by uploading. The same from a terminal: </span>${commandLine('npx limitline check FILE')}
    </div>`;
}

function draftTable(drafts: readonly PortfolioDraft[]): Html {
  return table({
    caption: 'Uploads that were not submitted',
    rows: drafts,
    columns: [
      { head: 'File', names: true, cell: ({ id, name }) => html`<a href="/new/${id}"><bdi>${name}</bdi></a>` },
      { head: 'What it is', cell: (draft) => draftWords(draft) },
      { head: 'Uploaded', cell: ({ uploadedMs }) => timeAgo(uploadedMs) },
      { head: 'Stands at', cell: standsAt },
      {
        head: 'Go on',
        kind: 'actions',
        cell: ({ id, name }) => linkButton({ href: `/new/${id}`, words: 'Go on', label: `Go on with ${name}` }),
      },
    ],
  });
}

function standsAt({ submitted }: PortfolioDraft): string {
  if (!submitted) return 'preview';
  return submitted.ended ? 'nothing of it was imported' : `import into ${submitted.portfolio} not ended`;
}
