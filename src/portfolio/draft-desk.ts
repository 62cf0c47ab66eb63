import type { Readable } from 'node:stream';
import type { MendedCell, PortfolioDraft } from './portfolio-draft.ts';
import type { LineToMend, Preview } from './preview.ts';
import type { Problem } from './problem.ts';
import type { ReadOptions } from './read-options.ts';

/** One file as it comes in. `name` is whatever a browser, or somebody else, says; '' where a field of a form was left empty. */
export type IncomingFile = { field: string; name: string; content: Readable };

/** Why an upload was not taken, as a status of HTTP and in words: nothing of it is left on the disk. */
export type RefusedUpload = { refused: { status: 400 | 413 | 415 | 507; message: string } };

/** A preview; or how many lines were read for it so far; or why there can be none. */
export type PreviewState =
  | { is: 'there'; preview: Preview }
  | { is: 'under way'; lines: number }
  | { is: 'failed'; message: string };

/** A line as somebody wrote it anew: some of its cells by their places, or of a broken one all of its text. */
export type LineEdit = { line: number } & ({ cells: ReadonlyMap<number, string> } | { text: string });

/** A new version; or none, since another was made meanwhile, and these are the cells in which it differs. */
export type MendAnswer =
  | { draft: PortfolioDraft; mended: number }
  | { conflict: { latest: number; cells: MendedCell[] } };

/** What a person says yes to: the preview by its digest, and what the import does beside. */
export type Submission = {
  of: string;
  /** Which portfolio it was allowed for: the draft may name another by now. Left out, whichever the draft names. */
  portfolio?: string | undefined;
  /** Whether rows of earlier imports that the file lacks are given up, as far as they were not sent. */
  replace: boolean;
  /** Only so many rows are sent at first; the others wait for a person. */
  first?: number | undefined;
  /** Who says yes. */
  by?: string | undefined;
};

/** Begun; or not, in words, since the draft is no longer what the person saw. */
export type SubmitAnswer = { draft: PortfolioDraft } | { conflict: string };

/** What is said of a draft beside its file; what is left out stays. `takeOffered` reads it as another read one like it. */
export type Correction = { reading?: ReadOptions; portfolio?: string; forgetKept?: boolean; takeOffered?: boolean };

/**
 * What one can do with portfolios that were uploaded and are not in the ledger yet. All that takes an id throws `NOT_FOUND` for one
 * that is not there. Whoever changes something (`by`) is one of the draft's authors from then on.
 */
export type DraftDesk = {
  /** Newest first. */
  list(): Promise<PortfolioDraft[]>;
  read(id: string): Promise<PortfolioDraft>;
  /** Takes an upload to the disk, as it comes. @throws what its streams throw, such as when the connection is gone */
  receive(
    files: AsyncIterable<IncomingFile>,
    announcedBytes?: number,
    by?: string,
  ): Promise<{ draft: PortfolioDraft } | RefusedUpload>;
  /** Begins a preview where there is none, and never waits for it. */
  preview(draft: PortfolioDraft): Promise<PreviewState>;
  /** Makes it anew, since the ledger may have gone on. */
  previewAgain(draft: PortfolioDraft): Promise<void>;
  /** A page of the lines to look at, from 0. */
  lines(
    draft: PortfolioDraft,
    which: { preview: Preview; list: 'problems' | 'warnings'; page: number },
  ): Promise<LineToMend[]>;
  /** @throws LimitlineError `USAGE` for a name that no portfolio can have */
  correct(id: string, correction: Correction, by?: string): Promise<PortfolioDraft>;
  /** Says what is wrong with a line of the preview if its cells were these. */
  check(
    draft: PortfolioDraft,
    edit: { line: number; cells: ReadonlyMap<number, string> },
  ): Promise<{ problems: Problem[]; warnings: Problem[] }>;
  /** @throws LimitlineError `USAGE` where a line cannot be mended so */
  mend(id: string, change: { version: number; edits: readonly LineEdit[] }, by?: string): Promise<MendAnswer>;
  /**
   * Imports what was previewed in the background, or goes on where that was interrupted.
   *
   * @throws LimitlineError `USAGE` where nothing of it can be imported
   */
  submit(id: string, submission: Submission): Promise<SubmitAnswer>;
  /**
   * The draft, and how far the import of it is that is under way in this process. Where none is, what became of the last one stands
   * in the draft: no moment is between them.
   */
  look(id: string): Promise<{ draft: PortfolioDraft; progress: { lines: number } | undefined }>;
  /** The import of a draft that is under way in this process. */
  progress(id: string): { lines: number } | undefined;
  /** The file as it is now, with all that was mended, under the name that it came with. */
  file(id: string): Promise<{ name: string; content: Readable; sizeBytes: number }>;
  /** @throws LimitlineError `USAGE` while it is imported */
  remove(id: string): Promise<void>;
  /** Ends what is under way in good order; an import can be gone on with. */
  close(): Promise<void>;
};
