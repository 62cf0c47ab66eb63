import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { makeDraftDesk } from '../../jobs/drafts/draft-desk.ts';
import { makeDraftStore } from '../../jobs/drafts/draft-store.ts';
import { importPortfolio } from '../../jobs/import/import-portfolio.ts';
import { outlookDepsOf } from '../../scripts/look/dry-run.ts';
import type { Context } from '../../src/context.ts';
import { makeSilentLog } from '../../src/log.ts';
import type { DraftDesk, IncomingFile } from '../../src/portfolio/draft-desk.ts';
import { fileRulesOf } from '../../src/portfolio/file-rules.ts';
import type { PortfolioDraft } from '../../src/portfolio/portfolio-draft.ts';
import type { Preview } from '../../src/portfolio/preview.ts';
import { importDepsOf } from './workplace.ts';

type DeskDeps = Parameters<typeof makeDraftDesk>[0];

/** The desk of uploads for the context of a workplace; closed when the test ends. */
export function openDraftDesk(context: Context, dir: string, given: Partial<DeskDeps> = {}) {
  const stopping = new AbortController();
  const desk = makeDraftDesk({
    outlook: outlookDepsOf(context),
    fileRules: fileRulesOf(context.settings),
    knownRate: async () => 50,
    imports: context.imports,
    documents: context.documents,
    importFile: (payload, { onLines }) =>
      importPortfolio(payload, {
        ...importDepsOf(context),
        stopping: stopping.signal,
        onBatch: ({ lines }) => onLines(lines),
      }),
    dataDir: join(dir, 'data'),
    account: context.account,
    maxUploadMb: 64,
    log: makeSilentLog(),
    ...given,
  });
  onTestFinished(() => desk.close());
  return {
    desk,
    /** Uploads files by the names of their fields, as `file: ['q4.csv', text]`. */
    upload: (...files: [field: string, name: string, content: string | Buffer][]) =>
      desk.receive(
        incoming(
          files.map(([field, name, content]) => ({ field, name, content: Readable.from([Buffer.from(content)]) })),
        ),
        undefined,
        'ann',
      ),
    stopping,
  };
}

/**
 * The drafts of a desk on a disk that is full when the state of a draft is written, which is the last part of a change.
 */
export function draftsOnFullDisk(dir: string): ReturnType<typeof makeDraftStore> {
  const store = makeDraftStore({ dir: join(dir, 'data', 'drafts') });
  return {
    ...store,
    async change(id, change) {
      await change(await store.read(id));
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    },
  };
}

export async function* incoming(files: IncomingFile[]): AsyncGenerator<IncomingFile> {
  yield* files;
}

/** A file of the disk as an incoming upload. */
export function incomingFile(path: string, name: string): IncomingFile {
  return { field: 'file', name, content: createReadStream(path) };
}

/** The draft of an accepted upload. */
export function draftOf(answer: Awaited<ReturnType<DraftDesk['receive']>>): PortfolioDraft {
  if ('refused' in answer) throw new Error(`The upload was refused: ${answer.refused.message}`);
  return answer.draft;
}

/** Waits for the preview of a draft. */
export async function previewOf(desk: DraftDesk, { id }: { id: string }): Promise<Preview> {
  const look = async () => desk.preview(await desk.read(id));
  await expect.poll(async () => (await look()).is, { interval: 20 }).not.toBe('under way');
  const state = await look();
  if (state.is !== 'there') throw new Error(`There is no preview: ${JSON.stringify(state)}`);
  return state.preview;
}

/** An upload of one line whose name was corrected three times, so that it has four versions. */
export async function correctedThrice({
  desk,
  upload,
}: Pick<ReturnType<typeof openDraftDesk>, 'desk' | 'upload'>): Promise<PortfolioDraft> {
  const draft = draftOf(await upload(['file', 'q4.csv', 'name,requested_limit\nA GmbH,x\n']));
  for (let version = 1; version <= 3; version += 1) {
    await previewOf(desk, draft);
    await desk.mend(draft.id, { version, edits: [{ line: 2, cells: new Map([[0, `B${version}`]]) }] }, 'ann');
  }
  return draft;
}
