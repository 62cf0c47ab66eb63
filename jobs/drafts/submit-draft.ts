import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { DocumentStore } from '../../src/documents/store.ts';
import { isLimitlineError, LimitlineError, messageOf } from '../../src/errors.ts';
import { sha256Of } from '../../src/files/disk.ts';
import type { Log } from '../../src/log.ts';
import type { Submission, SubmitAnswer } from '../../src/portfolio/draft-desk.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import type { PortfolioDraft, SubmittedDraft } from '../../src/portfolio/portfolio-draft.ts';
import { changedCells, lastVersion } from '../../src/portfolio/portfolio-draft.ts';
import type { Imported, ImportPayload } from '../import/import-portfolio.ts';
import { checkImport, keepFile } from '../import/open-import.ts';
import { type DraftStore, supplierIn } from './draft-store.ts';
import { formAsRead, formsOf } from './file-forms.ts';
import type { KeptMappings } from './kept-mappings.ts';
import { documentsOf, fileOf } from './make-preview.ts';
import type { Previews } from './previews.ts';

export type SubmissionDeps = {
  drafts: DraftStore;
  previews: Previews;
  mappings: KeptMappings;
  imports: DocumentStore;
  account: string;
  /** @throws LimitlineError `USAGE` while another console imports the upload */
  refuseWhileElsewhere(draft: PortfolioDraft): Promise<void>;
  /** Imports a file; `onLines` gets the number of lines read. Stops early when the process stops. */
  importFile(payload: ImportPayload, options: { onLines: (lines: number) => void }): Promise<Imported>;
  log: Log;
};

type Work = { lines: number; done: Promise<void>; submission: Submission };
type Begun = { draft: PortfolioDraft; payload: ImportPayload };

/** Imports of drafts in this process. */
export function makeSubmissions(deps: SubmissionDeps) {
  const { drafts, previews, mappings, log } = deps;
  const underWay = new Map<string, Work>();

  async function run(draft: PortfolioDraft, payload: ImportPayload, work: Work): Promise<void> {
    let ended: SubmittedDraft['ended'] = null;
    let fault: string | null = null;
    try {
      const { faults, ...counts } = await deps.importFile(payload, {
        onLines: (lines) => {
          work.lines = lines;
        },
      });
      const { lines, rows, invalid, duplicate } = counts;
      ended = { atMs: Date.now(), lines, rows, invalid, duplicate, faults: faults.map(({ message }) => message) };
    } catch (error) {
      fault = messageOf(error);
      if (!isLimitlineError(error)) log.error({ err: error }, 'an import of an upload broke off');
    }
    await drafts.change(draft.id, (now) => ({
      ...now,
      submitted: now.submitted && { ...now.submitted, ended, fault },
    }));
  }

  async function begin(seen: PortfolioDraft, submission: Submission): Promise<Begun | { conflict: string }> {
    const { id } = seen;
    const preview = await previews.need(seen);
    const isOther = submission.portfolio !== undefined && submission.portfolio !== seen.portfolio;
    if (isOther || preview.of !== submission.of) return { conflict: OTHER_BY_NOW };
    if (preview.faults.length > 0) throw new LimitlineError('USAGE', preview.faults[0]?.message ?? '');
    const payload = await payloadOf(seen, { dir: drafts.dirOf(id), imports: deps.imports, ...submission });
    const { portfolio, replace, total } = payload;
    const draft = await drafts.change(id, async (now) => {
      if (!isAsSeen(now, seen)) throw otherByNow();
      // Its end would be written over that of the living import, and documents may be added to an upload whose import has ended.
      await deps.refuseWhileElsewhere(now);
      const version = lastVersion(now).number;
      const submitted = { account: deps.account, portfolio, version, replace, total, beganMs: Date.now() };
      return { ...now, submitted: { ...submitted, ended: null, fault: null } };
    });
    // A file that nobody set options for leaves the mapping of its form, which others may have set, as it is.
    if (draft.readBy.length > 0) await keepReading(draft);
    return { draft, payload: { ...payload, authors: [...draft.authors, ...draft.readBy], made: madeOf(draft) } };
  }

  /** Keeps how the file is read for the next one of its form. Somebody may have chosen another header meanwhile, and so another form. */
  async function keepReading({ id, name, form: before, reading, readBy: by }: PortfolioDraft): Promise<void> {
    const opened = await openPortfolio({ path: join(drafts.dirOf(id), 'v1'), givenPath: name });
    await opened.close();
    const form = formAsRead(formsOf(opened), reading);
    if (before !== null && before !== form) await mappings.forget(before);
    if (form !== null) await mappings.keep(form, { name, keptMs: Date.now(), by, reading });
  }

  function follow({ draft, payload }: Begun, work: Work): Promise<void> {
    return run(draft, payload, work)
      .catch((error: unknown) => log.error({ err: error }, 'what became of an upload could not be written down'))
      .finally(() => underWay.delete(draft.id));
  }

  return {
    progress(id: string): { lines: number } | undefined {
      const work = underWay.get(id);
      return work && { lines: work.lines };
    },
    /** Resolves when no import is under way. */
    async settled(): Promise<void> {
      await Promise.all([...underWay.values()].map(({ done }) => done));
    },
    /**
     * Imports in the background exactly what was previewed. Continues an interrupted import without duplicates.
     *
     * @throws LimitlineError `USAGE` where it cannot be imported
     */
    async submit(id: string, submission: Submission): Promise<SubmitAnswer> {
      const other = underWay.get(id);
      if (other) {
        const draft = await drafts.read(id);
        return isSameChoice(other.submission, submission) ? { draft } : { conflict: OTHERWISE };
      }
      // While this entry exists, nobody else can import or correct the draft.
      const work: Work = { lines: 0, done: Promise.resolve(), submission };
      underWay.set(id, work);
      try {
        const seen = await drafts.read(id);
        const begun = await begin(seen, submission);
        if ('conflict' in begun) underWay.delete(id);
        else work.done = follow(begun, work);
        return begun;
      } catch (error) {
        underWay.delete(id);
        throw error;
      }
    },
  };
}

/** Whether two people submitted the same preview with the same choices. Then the second submission counts like the first. */
function isSameChoice(one: Submission, other: Submission): boolean {
  return (['of', 'portfolio', 'replace', 'first', 'total'] as const).every((name) => one[name] === other[name]);
}

/** Whether the preview's inputs are unchanged. */
function isAsSeen(now: PortfolioDraft, seen: PortfolioDraft): boolean {
  const partsOf = (draft: PortfolioDraft) => [
    lastVersion(draft).number,
    draft.portfolio,
    draft.reading,
    draft.documents,
  ];
  return isDeepStrictEqual(partsOf(now), partsOf(seen));
}

/** What people did with the file since its upload; nothing if nobody changed it. */
function madeOf(draft: PortfolioDraft): ImportPayload['made'] {
  const { leftOut: lines, outSum, out } = lastVersion(draft);
  const [corrected, leftOut] = [changedCells(draft.versions), lines.length];
  if (corrected + leftOut === 0) return undefined;
  // Redis' Lua would store an empty list as an object.
  const requests = leftOut === 0 ? undefined : out;
  return { corrected, leftOut, outSum, out: requests, people: draft.authors.join(', ') };
}

async function payloadOf(
  draft: PortfolioDraft,
  { dir, imports, replace, by, first, total }: Submission & { dir: string; imports: DocumentStore },
): Promise<ImportPayload> {
  const { portfolio, reading, name, supplier } = draft;
  // The import has its own copy, independent of the draft. Its digest must be the previewed one.
  const kept = await keepFile(fileOf(dir, draft).path, imports);
  if (kept !== lastVersion(draft).sha256) throw otherByNow();
  if (supplier && (await sha256Of(supplierIn(dir))) !== supplier.sha256) throw otherByNow();
  const payload = {
    portfolio,
    path: join(dir, name),
    kept,
    reading,
    replace,
    by,
    first,
    total,
    documentsDir: documentsOf(dir, draft),
    // The upload is removed some time after the import, so its folder is no place to put a document in.
    documentsWords: {
      folder: `the documents uploaded with ${name}`,
      missing: `No documents were uploaded with ${name}: upload them with this line.`,
      bring: 'upload it with this line',
    },
    ...(supplier && { supplierPath: supplierIn(dir) }),
  };
  checkImport(payload);
  return payload;
}

const OTHERWISE =
  'Somebody else submitted this upload a moment ago, with other choices. Your control total and your other choices do not count. Look at its portfolio.';

const OTHER_BY_NOW =
  'The file, the way it is read, or its portfolio is no longer what you saw. Look at the preview again, and submit it there. Nothing was imported.';

const otherByNow = (): LimitlineError => new LimitlineError('USAGE', OTHER_BY_NOW);
