import type { Readable } from 'node:stream';
import type { MendedCell, PortfolioDraft } from './portfolio-draft.ts';
import type { LineToMend, MendPlace, Preview } from './preview.ts';
import type { Problem } from './problem.ts';
import type { ReadOptions } from './read-options.ts';

/** One uploaded file. The client chooses `name`; a form field that was left empty sends an empty name. */
export type IncomingFile = { field: string; name: string; content: Readable };

/** Why an upload was refused, as an HTTP status and a message. Nothing of the upload stays on the disk. */
export type RefusedUpload = { refused: { status: 400 | 413 | 415 | 422 | 507; message: string } };

/** The preview; or the number of lines read for it so far; or why the preview failed. */
export type PreviewState =
  | { is: 'there'; preview: Preview }
  | { is: 'under way'; lines: number }
  | { is: 'failed'; message: string };

/**
 * A corrected line: the changed cells by column index; or, for a broken line, its whole text; or that it is left out, which
 * empties all of its cells.
 */
export type LineEdit = { line: number } & (
  | { cells: ReadonlyMap<number, string> }
  | { text: string }
  | { isLeftOut: true }
);

/**
 * Replaces a text in the cells of one column, in all lines of the list that have a problem or warning in that column. An empty `from`
 * stands for the whole cell. Edits of single lines come after it.
 */
export type ColumnEdit = { list: MendPlace['list']; column: string; from: string; to: string };

/** The new version; or, if somebody else saved a version meanwhile, that version's number and its changed cells. */
export type MendAnswer =
  | { draft: PortfolioDraft; mended: number }
  | { conflict: { latest: number; cells: MendedCell[] } };

/** A person's confirmation of an import: the preview, named by its digest in `of`, and how the import runs. */
export type Submission = {
  of: string;
  /** The portfolio for which the person was authorized. The draft may name another by now. Undefined: no check. */
  portfolio?: string | undefined;
  /** Whether to cancel rows of earlier imports that the file lacks and of which nothing was sent. */
  replace: boolean;
  /** How many rows to send at first. The others wait until a person releases them. */
  first?: number | undefined;
  /** A control total: if the file adds up to another sum, nothing of it is imported. */
  total?: string | undefined;
  /** The person who confirms the import. */
  by?: string | undefined;
};

/** The import has begun; or why not, because the draft differs from what the person saw. */
export type SubmitAnswer = { draft: PortfolioDraft } | { conflict: string };

/** Changes to a draft beside its file. Omitted fields stay. `takeOffered` adopts the reading options in the draft's `offered`. */
type Correction = { reading?: ReadOptions; portfolio?: string; forgetKept?: boolean; takeOffered?: boolean };

/**
 * Operations on uploaded portfolios that are not in the ledger yet. Each method with an id throws `NOT_FOUND` for an
 * unknown id. The person in `by`, who changes a draft, becomes one of its authors.
 */
export type DraftDesk = {
  /** All drafts, the newest first. */
  list(): Promise<PortfolioDraft[]>;
  read(id: string): Promise<PortfolioDraft>;
  /** Streams an upload to the disk. @throws whatever the streams throw, for example when the connection is lost */
  receive(
    files: AsyncIterable<IncomingFile>,
    announcedBytes?: number,
    by?: string,
  ): Promise<{ draft: PortfolioDraft } | RefusedUpload>;
  /** Adds documents to an upload. @throws whatever the streams throw */
  addToUpload(
    id: string,
    files: AsyncIterable<IncomingFile>,
    by?: string,
  ): Promise<{ draft: PortfolioDraft } | RefusedUpload>;
  /** The digest that names the draft's preview (`of`). It changes with the draft's file, reading options, documents and portfolio. */
  digest(draft: PortfolioDraft): string;
  /** Starts a preview if there is none. Never waits for it. */
  preview(draft: PortfolioDraft): Promise<PreviewState>;
  /** Makes the preview again, because the ledger may have changed since. */
  previewAgain(draft: PortfolioDraft): Promise<void>;
  /** One page of the lines that need a person's attention; the first page is 0. */
  lines(draft: PortfolioDraft, which: { preview: Preview } & MendPlace): Promise<LineToMend[]>;
  /** @throws LimitlineError `USAGE` for a name that no portfolio can have */
  correct(id: string, correction: Correction, by?: string): Promise<PortfolioDraft>;
  /** Returns what would be wrong with a line of the preview if it had these cells. */
  check(
    draft: PortfolioDraft,
    edit: { line: number; cells: ReadonlyMap<number, string> },
  ): Promise<{ problems: Problem[]; warnings: Problem[] }>;
  /** @throws LimitlineError `USAGE` where a line cannot be corrected in this way */
  mend(
    id: string,
    change: { version: number; edits: readonly LineEdit[]; column?: ColumnEdit | undefined; of?: string | undefined },
    by?: string,
  ): Promise<MendAnswer>;
  /**
   * Makes a version with the content of an earlier one: the uploaded file, or one of the last two.
   *
   * @throws LimitlineError `USAGE` for a version that is not kept
   */
  goBack(id: string, change: { version: number; to: number }, by?: string): Promise<MendAnswer>;
  /**
   * Imports the previewed file in the background, or continues an import that was interrupted.
   *
   * @throws LimitlineError `USAGE` where no line of the file can be imported
   */
  submit(id: string, submission: Submission): Promise<SubmitAnswer>;
  /**
   * The draft, and the progress of its import if one runs here. An import writes its result into the draft before it
   * stops running, so one of the two is always current.
   */
  look(id: string): Promise<{ draft: PortfolioDraft; progress: { lines: number } | undefined }>;
  /** The progress of a draft's import in this process. */
  progress(id: string): { lines: number } | undefined;
  /** The latest version of the file, with all corrections, under its original name. */
  file(id: string): Promise<{ name: string; content: Readable; sizeBytes: number }>;
  /** @throws LimitlineError `USAGE` while the draft is being imported */
  remove(id: string): Promise<void>;
  /** Stops running previews and imports cleanly. A stopped import can be continued. */
  close(): Promise<void>;
};
