import { ANY_DOCUMENT } from '../../../src/documents/any-document.ts';
import { openPortfolio } from '../../../src/portfolio/open-portfolio.ts';
import { lastVersion, type PortfolioDraft } from '../../../src/portfolio/portfolio-draft.ts';
import type { DraftStore } from '../../drafts/draft-store.ts';
import { fileOf } from '../../drafts/make-preview.ts';
import type { DayFile } from './days-files.ts';

type UploadedDeps = { drafts: Pick<DraftStore, 'list' | 'dirOf'>; signal: AbortSignal };

/**
 * The files that were uploaded in the console, or mended there, since a moment, and never submitted. One that was is an import, or was
 * meant for another account.
 */
export async function uploadedFiles(sinceMs: number, { drafts, signal }: UploadedDeps): Promise<DayFile[]> {
  const found = (await drafts.list()).filter((draft) => lastVersion(draft).madeMs >= sinceMs && isUnsubmitted(draft));
  return found.map((draft) => ({
    portfolio: draft.portfolio,
    fileName: draft.name,
    later: new Set(),
    why: 'its file was uploaded in the console and not submitted',
    unread: { says: 'a file was uploaded in the console that cannot be read', rows: 1 },
    open: (buyers) =>
      openPortfolio({
        ...draft.reading,
        ...fileOf(drafts.dirOf(draft.id), draft),
        requiredColumns: [],
        documents: ANY_DOCUMENT,
        buyers,
        signal,
      }),
  }));
}

function isUnsubmitted({ submitted }: PortfolioDraft): boolean {
  return submitted === null || (submitted.ended?.faults.length ?? 0) > 0;
}
