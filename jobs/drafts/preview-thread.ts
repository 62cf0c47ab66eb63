import { parentPort, workerData } from 'node:worker_threads';
import { isLimitlineError, LimitlineError, messageOf } from '../../src/errors.ts';
import type { PortfolioDraft } from '../../src/portfolio/portfolio-draft.ts';
import type { Preview } from '../../src/portfolio/preview.ts';
import type { OnUnknownCompany } from '../import/foresee.ts';
import type { OutlookDeps } from '../preview/outlook.ts';
import { makePreview, type PreviewDeps } from './make-preview.ts';

export type ToPreview = { draft: PortfolioDraft; dir: string; of: string; onUnknownCompany: OnUnknownCompany } & Pick<
  PreviewDeps,
  'account' | 'fileRules'
>;

export type ToThread = { ask: number } & (
  | { value: unknown; fault?: never }
  | { fault: { code: LimitlineError['code']; message: string } }
);

export type FromThread =
  | { is: 'lines'; lines: number }
  | { is: 'ask'; ask: number; part: string; name: string; args: unknown[] }
  | { is: 'preview'; preview: Preview }
  | { is: 'fault'; message: string; code: LimitlineError['code'] | undefined };

/** The thread of {@link previewInThread}: reads one draft, asks the ledger through its parent, and ends. */
const port = parentPort;
if (!port) throw new Error('preview-thread.ts is a thread of Limitline, and cannot be started by itself');
const say = (message: FromThread) => port.postMessage(message);
const { draft, dir, of, account, fileRules, onUnknownCompany } = workerData as ToPreview;

const waiting = new Map<number, (answer: ToThread) => void>();
let asked = 0;
port.on('message', (answer: ToThread) => {
  waiting.get(answer.ask)?.(answer);
  waiting.delete(answer.ask);
});

/** A part of the ledger in the parent thread. Each call of a function is one message. */
function remote<Part extends object>(part: string): Part {
  return new Proxy({} as Part, {
    get:
      (_none, name) =>
      (...args: unknown[]) =>
        new Promise((resolve, reject) => {
          asked += 1;
          waiting.set(asked, (answer) => {
            if (answer.fault) reject(new LimitlineError(answer.fault.code, answer.fault.message));
            else resolve(answer.value);
          });
          say({ is: 'ask', ask: asked, part, name: String(name), args });
        }),
  });
}

const functions = remote<Pick<OutlookDeps, 'foresight'> & Pick<PreviewDeps, 'knownRate'>>('functions');
const deps: PreviewDeps = {
  outlook: {
    foresight: functions.foresight,
    buyers: remote('buyers'),
    rows: remote('rows'),
    portfolios: remote('portfolios'),
    imports: remote('imports'),
    onUnknownCompany,
  },
  account,
  fileRules,
  knownRate: functions.knownRate,
};
const signal = new AbortController().signal;
const onLines = (lines: number) => say({ is: 'lines', lines });
try {
  say({ is: 'preview', preview: await makePreview(draft, { dir, of, deps, signal, onLines }) });
} catch (error) {
  const code = isLimitlineError(error) ? error.code : undefined;
  say({ is: 'fault', message: messageOf(error), code });
} finally {
  port.close();
}
