import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type ExportDeps, type ExportPayload, exportResults } from '../../jobs/export/export-results.ts';

/** What an export is told: by default it is the results of `q4` as a CSV. `told` takes the sentences that it says. */
export type ExportWish = Partial<ExportPayload> & { told?: string[] };

/** The bytes of a results or errors file. */
export async function exportedBytes(
  deps: Omit<ExportDeps, 'say' | 'signal'>,
  { told = [], ...wish }: ExportWish = {},
): Promise<Buffer> {
  const to = new PassThrough();
  const exporting = exportResults({ portfolio: 'q4', only: 'all', ...wish }, to, {
    ...deps,
    say: (sentence) => told.push(sentence),
    signal: new AbortController().signal,
  });
  exporting.catch((error) => to.destroy(error));
  const [bytes] = await Promise.all([buffer(to), exporting]);
  return bytes;
}

/** The same as text. */
export async function exportedText(...of: Parameters<typeof exportedBytes>): Promise<string> {
  return (await exportedBytes(...of)).toString();
}
