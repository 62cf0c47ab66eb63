import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { isLimitlineError, LimitlineError } from '../../src/errors.ts';
import { lastVersion, type PortfolioDraft } from '../../src/portfolio/portfolio-draft.ts';
import type { Preview } from '../../src/portfolio/preview.ts';
import { type MakePreview, makePreview } from './make-preview.ts';
import type { FromThread, ToPreview, ToThread } from './preview-thread.ts';

/** In an installed package this path leads to compiled JavaScript, because Node strips no types inside of packages. */
const THREAD = new URL('./preview-thread.ts', import.meta.url);
if (!existsSync(THREAD)) THREAD.pathname = THREAD.pathname.replace(/ts$/, 'js');

/**
 * How long a preview's thread may send no message before it is stopped. A million lines take a minute, and a thread that hangs would occupy
 * a processor for ever.
 */
const SILENT_MS = 120_000;

/** The largest text file that is read in the calling thread, in bytes. Starting a thread takes longer than reading such a file. */
const SMALL_BYTES = 64 * 1024;

/**
 * Makes previews as {@link makePreview} does, in a thread of its own, so that pages are served meanwhile. A small text is read in the
 * calling thread. A thread that is silent for two minutes is stopped. The thread has no connection to Redis, so the calling thread reads
 * the ledger on its behalf.
 */
export function previewInThread({ silentMs = SILENT_MS, smallBytes = SMALL_BYTES } = {}): MakePreview {
  return (draft, how) => {
    const isText = /\.(csv|tsv|txt)$/i.test(draft.name) && !draft.isArchive;
    return isText && lastVersion(draft).sizeBytes <= smallBytes
      ? makePreview(draft, how)
      : inThread(draft, how, silentMs);
  };
}

function inThread(
  draft: PortfolioDraft,
  { dir, of, deps, signal, onLines }: Parameters<MakePreview>[1],
  silentMs: number,
): Promise<Preview> {
  return new Promise<Preview>((resolve, reject) => {
    const { account, outlook, fileRules, knownRate } = deps;
    const { onUnknownCompany } = outlook;
    const begun: ToPreview = { draft, dir, of, account, fileRules, onUnknownCompany };
    const thread = new Worker(THREAD, { workerData: begun });
    const parts: Readonly<Record<string, unknown>> = {
      ...outlook,
      functions: { foresight: outlook.foresight, knownRate },
    };
    let isEnded = false;
    const end = (done: () => void) => {
      if (isEnded) return;
      isEnded = true;
      clearTimeout(silence);
      signal.removeEventListener('abort', stop);
      void thread.terminate().then(done);
    };
    const stop = () => end(() => reject(signal.reason));
    const silence = setTimeout(() => end(() => reject(new LimitlineError('FILE', TOO_LONG))), silentMs);
    const answer = async ({ ask, part, name, args }: Extract<FromThread, { is: 'ask' }>): Promise<void> => {
      try {
        const asked = parts[part] as Record<string, (...args: unknown[]) => Promise<unknown>>;
        thread.postMessage({ ask, value: await asked[name]?.(...args) } satisfies ToThread);
      } catch (error) {
        // The preview goes on without a copy that is gone.
        if (isLimitlineError(error, 'NOT_FOUND', 'FILE')) {
          const { code, message } = error;
          thread.postMessage({ ask, fault: { code, message } } satisfies ToThread);
        }
        // The promise is rejected in the calling thread: the preview's thread would turn the error into another one.
        else end(() => reject(error));
      }
    };
    thread.on('message', (message: FromThread) => {
      silence.refresh();
      if (message.is === 'lines') onLines(message.lines);
      else if (message.is === 'ask') void answer(message);
      else if (message.is === 'preview') end(() => resolve(message.preview));
      else
        end(() =>
          reject(message.code ? new LimitlineError(message.code, message.message) : new Error(message.message)),
        );
    });
    thread.once('error', (error) => end(() => reject(error)));
    thread.once('exit', () => end(() => reject(new Error('the thread that reads a file ended without an answer'))));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}

const TOO_LONG =
  'The file takes too long to read, so its preview was given up. Look for cells that are far longer than others, take them out, and upload it again.';
