import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { makeFolder } from '../../src/data-folder.ts';
import { ANY_DOCUMENT, makeDocumentFolder } from '../../src/documents/folder.ts';
import { LimitlineError } from '../../src/errors.ts';
import { freeBytesOf, RESERVE_BYTES } from '../../src/files/disk.ts';
import type { Log } from '../../src/log.ts';
import type { DraftDesk } from '../../src/portfolio/draft-desk.ts';
import type { FileRules } from '../../src/portfolio/file-rules.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import { authorsWith, lastVersion, type PortfolioDraft } from '../../src/portfolio/portfolio-draft.ts';
import type { Preview } from '../../src/portfolio/preview.ts';
import type { Problem } from '../../src/portfolio/problem.ts';
import { lastingOf, readingFound } from '../../src/portfolio/read-options.ts';
import { checkImport } from '../import/open-import.ts';
import { makeDraftStore, QUOTA_BYTES } from './draft-store.ts';
import type { KeptDocumentsDeps } from './kept-documents.ts';
import { isOwnReading, makeKeptMappings } from './kept-mappings.ts';
import { documentsOf, fileOf, type MakePreview, type PreviewDeps } from './make-preview.ts';
import { goBack, mendDraft } from './mend-draft.ts';
import { lineToMend, listFile, readMendPage } from './mend-list.ts';
import { makePreviews } from './previews.ts';
import { addToUpload, receiveUpload } from './receive-upload.ts';
import { makeSubmissions, type SubmissionDeps } from './submit-draft.ts';

type DeskDeps = PreviewDeps & {
  preview?: MakePreview;
  documents: KeptDocumentsDeps['documents'];
} & Pick<SubmissionDeps, 'imports' | 'importFile'> & {
    /** The data folder, with folders for drafts and mappings. */
    dataDir: string;
    account: string;
    maxUploadMb: number;
    /** The most bytes that all uploads of one person take together. */
    quotaBytes?: number;
    log: Log;
    /** Free bytes on the data folder's disk; asks the system by default. */
    freeBytes?: () => Promise<number>;
  };

/** The files uploaded to the console. They lie in the data folder, so every process with that folder sees them. */
export function makeDraftDesk(deps: DeskDeps): DraftDesk {
  const { dataDir, maxUploadMb, fileRules, quotaBytes = QUOTA_BYTES } = deps;
  const dir = join(dataDir, 'drafts');
  const drafts = makeDraftStore({ dir });
  const mappings = makeKeptMappings({ dir: join(dataDir, 'mappings') });
  const kept = { rows: deps.outlook.rows, documents: deps.documents, maxDocumentMb: fileRules.maxDocumentMb };
  const previews = makePreviews({ ...deps, drafts });
  /** The draft without its submission, if that was made to another account, such as the stand-in's. */
  const asHere = (draft: PortfolioDraft): PortfolioDraft => {
    const { account = deps.account } = draft.submitted ?? {};
    return account === deps.account ? draft : { ...draft, submitted: null };
  };
  /** Refuses an upload that another console is importing, as long as that import lives. */
  const refuseWhileElsewhere = async (draft: PortfolioDraft) => {
    const { submitted } = asHere(draft);
    if (submitted?.ended !== null || submitted.fault !== null) return;
    const { importing, interrupted } = await deps.outlook.portfolios.read(submitted.portfolio);
    const isLately = Math.abs(Date.now() - submitted.beganMs) < READ_MS;
    if (importing || (isLately && !interrupted)) throw new LimitlineError('USAGE', IMPORTED_NOW);
  };
  const submissions = makeSubmissions({ ...deps, drafts, previews, mappings, refuseWhileElsewhere });
  const limits = {
    maxBytes: maxUploadMb * 1024 * 1024,
    quotaBytes,
    reserveBytes: RESERVE_BYTES,
    freeBytes: deps.freeBytes ?? (() => freeBytesIn(dataDir)),
  };
  const refuseWhileImported = (id: string) => {
    if (submissions.progress(id)) throw new LimitlineError('USAGE', IMPORTED_NOW);
  };

  return {
    list: async () => (await drafts.list()).map(asHere),
    read: async (id) => asHere(await drafts.read(id)),
    receive: (files, announcedBytes, by) =>
      receiveUpload(files, { ...kept, drafts, mappings, limits, announcedBytes, by }),
    digest: previews.digest,
    preview: previews.look,
    previewAgain: previews.again,
    async lines(draft, { preview, list, ...place }) {
      return readMendPage(join(drafts.dirOf(draft.id), listFile(list)), preview[list], place);
    },
    async correct(id, { reading, portfolio, forgetKept = false, takeOffered = false }, by) {
      refuseWhileImported(id);
      if (portfolio !== undefined) checkImport({ portfolio, path: id });
      const draft = await drafts.read(id);
      // The mapping of the file's form is removed only if this person alone made it.
      const kept = forgetKept && draft.form !== null ? await mappings.find(draft.form) : undefined;
      if (kept && isOwnReading(kept, by)) await mappings.forget(draft.form ?? '');
      return drafts.change(id, (now) => {
        // Somebody may have submitted the draft since the first check.
        refuseWhileImported(id);
        const { offered } = now;
        const isOther = reading && !isDeepStrictEqual(lastingOf(reading), lastingOf(now.reading));
        return {
          ...now,
          ...(reading === undefined ? {} : { reading }),
          ...(isOther ? { readBy: authorsWith({ authors: now.readBy }, by) } : {}),
          ...(takeOffered && offered ? readAs(offered, by) : {}),
          ...(portfolio === undefined ? {} : { portfolio }),
          ...(forgetKept ? { keptFrom: null, offered: null, reading: {}, readBy: [] } : {}),
          authors: authorsWith(now, by),
        };
      });
    },
    async check(draft, { line: number, cells }) {
      const preview = await previews.need(draft);
      const dirOfDraft = drafts.dirOf(draft.id);
      const { line, numbers, cells: before } = await lineToMend(dirOfDraft, preview, number);
      const merged = Array.from(
        { length: Math.max(before.length, ...[...cells.keys()].map((at) => at + 1)) },
        (_none, at) => {
          return cells.get(at) ?? before[at] ?? '';
        },
      );
      // An edited cell is a text, also in a sheet.
      const stillNumbers = numbers?.filter((at) => merged[at] === before[at]);
      const place = { dir: dirOfDraft, preview, fileRules };
      return checkLine(draft, { line, cells: merged, numbers: stillNumbers }, place);
    },
    async mend(id, change, by) {
      refuseWhileImported(id);
      return mendDraft(id, { ...change, by }, { drafts, previews, quotaBytes });
    },
    async addToUpload(id, files, by) {
      refuseWhileImported(id);
      return addToUpload(id, files, { drafts, limits, by });
    },
    async goBack(id, change, by) {
      refuseWhileImported(id);
      return goBack(id, { ...change, by }, { drafts, quotaBytes });
    },
    submit: submissions.submit,
    progress: submissions.progress,
    async look(id) {
      // The progress is read first, because an import records its end in the draft before its progress is removed.
      const progress = submissions.progress(id);
      return { draft: asHere(await drafts.read(id)), progress };
    },
    async file(id) {
      const draft = await drafts.read(id);
      const { path } = fileOf(drafts.dirOf(id), draft);
      return { name: draft.name, content: createReadStream(path), sizeBytes: lastVersion(draft).sizeBytes };
    },
    async remove(id) {
      refuseWhileImported(id);
      await refuseWhileElsewhere(await drafts.read(id));
      await previews.leave(id);
      await drafts.remove(id);
    },
    async close() {
      await Promise.all([previews.close(), submissions.settled()]);
    },
  };
}

/** The longest time for which a submitted file is read before its import begins, such as for its control total. */
const READ_MS = 10 * 60_000;

const IMPORTED_NOW = 'This upload is being imported just now: wait until the import has ended.';

/**
 * The draft's fields once a person accepts the options that were set for a similar file. If nobody is known to have set them, that person
 * counts as their author.
 */
function readAs(offered: NonNullable<PortfolioDraft['offered']>, by: string | undefined) {
  const readBy = offered.by.length > 0 ? offered.by : authorsWith({ authors: [] }, by);
  return { reading: offered.reading, keptFrom: offered, offered: null, readBy };
}

async function freeBytesIn(dir: string): Promise<number> {
  makeFolder(dir);
  return freeBytesOf(dir);
}

type LineToCheck = { line: number; cells: string[]; numbers?: readonly number[] | undefined };

/**
 * Checks a line with these cells, by the code that reads files. Leaves out duplicates and documents in a ZIP file, which are
 * checked when the version is read as a whole.
 *
 * @throws LimitlineError `FILE`
 */
async function checkLine(
  draft: PortfolioDraft,
  { line, cells, numbers }: LineToCheck,
  { dir, preview, fileRules }: { dir: string; preview: Preview; fileRules: FileRules },
): Promise<{ problems: Problem[]; warnings: Problem[] }> {
  const { decimal, dates, contradictions } = preview.conventions;
  const documents = draft.isArchive
    ? ANY_DOCUMENT
    : makeDocumentFolder({ dir: documentsOf(dir, draft), maxSizeMb: fileRules.maxDocumentMb });
  const opened = await openPortfolio({
    ...readingFound(draft.reading, preview),
    ...(decimal === null ? {} : { decimal }),
    ...(dates === null ? {} : { dates }),
    contradictions,
    ...fileOf(dir, draft),
    ...fileRules,
    documents,
  });
  await opened.close();
  const sheet = preview.dialect.sheet === undefined ? {} : { sheet: { numbers: numbers ?? [] } };
  const judged = await opened.judgeAlone({ line, cells, fault: null, ...sheet });
  return judged.kind === 'row'
    ? { problems: [], warnings: judged.warnings }
    : { problems: judged.problems, warnings: [] };
}
