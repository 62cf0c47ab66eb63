import { counted, grouped } from '../../../counted.ts';
import type { PreviewState } from '../../../portfolio/draft-desk.ts';
import type { PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import { type Html, html } from '../../html/html.ts';
import { linkButton } from '../../parts/button.ts';
import { progressBar } from '../../parts/figures.ts';

/** Where pieces of progress stand in a page, and in the frames of its events. */
export const PROGRESS_ID = 'progress';

/** How far the reading of an upload is; when it is done, the module `follow` goes to the page that has it. */
export function previewProgress({ id }: Pick<PortfolioDraft, 'id'>, state: PreviewState): Html {
  if (state.is === 'under way') {
    return progressBar({ label: 'Reading the file', done: state.lines, words: `${counted(state.lines, 'line')} read` });
  }
  return html`<p data-go="/new/${id}">${linkButton({ href: `/new/${id}`, words: 'It is read: show it', kind: 'primary' })}</p>`;
}

/** How far an import is. */
export function importProgress(
  { id, submitted, versions }: PortfolioDraft,
  { progress, total }: { progress: { lines: number } | undefined; total: number | undefined },
): Html {
  if (progress) {
    const words =
      total === undefined
        ? `${counted(progress.lines, 'line')} imported`
        : `${grouped(progress.lines)} of ${counted(total, 'line')} imported`;
    return progressBar({ label: 'Importing', done: progress.lines, ...(total === undefined ? {} : { total }), words });
  }
  const isDone = submitted?.ended && submitted.ended.faults.length === 0 && versions.length > 0;
  const href = isDone ? `/portfolios/${encodeURIComponent(submitted.portfolio)}` : `/new/${id}`;
  const words = isDone ? 'All of it is imported: to the portfolio' : 'The import broke off: see why';
  return html`<p data-go="${href}">${linkButton({ href, words, kind: 'primary' })}</p>`;
}
