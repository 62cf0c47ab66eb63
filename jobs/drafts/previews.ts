import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLimitlineError, LimitlineError, messageOf } from '../../src/errors.ts';
import { putText } from '../../src/files/disk.ts';
import type { Log } from '../../src/log.ts';
import type { PreviewState } from '../../src/portfolio/draft-desk.ts';
import { lastVersion, type PortfolioDraft } from '../../src/portfolio/portfolio-draft.ts';
import type { Preview } from '../../src/portfolio/preview.ts';
import { readOptionsSchema } from '../../src/portfolio/read-options.ts';
import type { DraftStore } from './draft-store.ts';
import { type MakePreview, makePreview, type PreviewDeps } from './make-preview.ts';

/** Previews of drafts. Each is made once, in the background, and kept in the draft's folder until its inputs change. */
export type Previews = ReturnType<typeof makePreviews>;

type UnderWay = { of: string; lines: number; failed: string | null; stop: AbortController; done: Promise<void> };

type Deps = PreviewDeps & {
  drafts: DraftStore;
  log: Log;
  /** Makes a preview; in this thread by default. */
  preview?: MakePreview;
};

const PREVIEW_FILE = 'preview.json';

/** The version of the form in which previews are kept. When it is raised, previews of older forms are made again. */
const KEPT_FORM = 3;

export function makePreviews(deps: Deps) {
  const { drafts, preview: make = makePreview } = deps;
  const underWay = new Map<string, UnderWay>();

  async function kept(draft: PortfolioDraft, of: string): Promise<Preview | undefined> {
    try {
      const preview = JSON.parse(await readFile(join(drafts.dirOf(draft.id), PREVIEW_FILE), 'utf8')) as Preview;
      return preview.of === of ? preview : undefined;
    } catch {
      // A preview that is missing or damaged is made again.
      return undefined;
    }
  }

  async function leave(id: string): Promise<void> {
    const work = underWay.get(id);
    work?.stop.abort();
    await work?.done;
    if (underWay.get(id) === work) underWay.delete(id);
  }

  function begin(draft: PortfolioDraft, of: string): UnderWay {
    const earlier = leave(draft.id);
    const stop = new AbortController();
    const work: UnderWay = { of, lines: 0, failed: null, stop, done: Promise.resolve() };
    const dir = drafts.dirOf(draft.id);
    const run = async () => {
      // Work on an earlier preview ends first: both would write the same files.
      await earlier;
      const onLines = (lines: number) => {
        work.lines = lines;
      };
      const preview = await make(draft, { dir, of, deps, signal: stop.signal, onLines });
      // Another console with this data folder may write the same preview at this moment.
      await putText(dir, PREVIEW_FILE, JSON.stringify(preview));
      if (underWay.get(draft.id) === work) underWay.delete(draft.id);
    };
    work.done = run().catch((error: unknown) => {
      if (stop.signal.aborted) return;
      work.failed = messageOf(error);
      if (!isLimitlineError(error)) deps.log.error({ err: error }, 'a preview could not be made');
    });
    underWay.set(draft.id, work);
    return work;
  }

  async function look(draft: PortfolioDraft): Promise<PreviewState> {
    const of = digestOf(draft, deps);
    const work = underWay.get(draft.id);
    if (work?.of === of && work.failed !== null) return { is: 'failed', message: work.failed };
    if (work?.of === of) return { is: 'under way', lines: work.lines };
    const preview = await kept(draft, of);
    // If another preview of the draft is being made, its lists of lines overwrite those that belong to this preview.
    if (preview && !underWay.has(draft.id)) return { is: 'there', preview };
    if (underWay.get(draft.id)?.of !== of) begin(draft, of);
    return { is: 'under way', lines: underWay.get(draft.id)?.lines ?? 0 };
  }

  return {
    /** The digest of all inputs of a draft's preview, which the preview contains as `of`. */
    digest: (draft: PortfolioDraft): string => digestOf(draft, deps),
    /** The state of a draft's preview. Does not wait for a preview; begins a missing one. */
    look,
    /** Stops making a draft's preview. */
    leave,
    /** The current preview. @throws LimitlineError `USAGE` where there is none yet */
    async need(draft: PortfolioDraft): Promise<Preview> {
      const state = await look(draft);
      if (state.is === 'there') return state.preview;
      const message =
        state.is === 'failed' ? state.message : 'The file is still being read: wait until its preview is there.';
      throw new LimitlineError('USAGE', message);
    },
    /** Makes the draft's preview again, because the ledger may have changed. */
    async again(draft: PortfolioDraft): Promise<void> {
      const of = digestOf(draft, deps);
      if (underWay.get(draft.id)?.of !== of || underWay.get(draft.id)?.failed !== null) begin(draft, of);
    },
    /** Stops making previews, and waits for the end. */
    async close(): Promise<void> {
      await Promise.all([...underWay.keys()].map(leave));
    },
  };
}

/** The digest of a preview's inputs, apart from the ledger. */
function digestOf(draft: PortfolioDraft, { account, fileRules, outlook }: Deps): string {
  const { reading, documents, portfolio } = draft;
  const parts = [
    KEPT_FORM,
    lastVersion(draft).sha256,
    readOptionsSchema.parse(reading),
    documents,
    portfolio,
    account,
    ...Object.values(fileRules),
    outlook.onUnknownCompany,
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
