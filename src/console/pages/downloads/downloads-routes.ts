import { once } from 'node:events';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isPortfolioName } from '../../../ledger/schema/schema.ts';
import type { Query } from '../../../ledger/search/row-filter.ts';
import { HOUR_MS } from '../../../time-units.ts';
import { SEES_BUYERS } from '../../access/access.ts';
import { ConsoleError } from '../../console-app.ts';
import { t } from '../../html/html.ts';
import { page } from '../page.ts';
import { sendDownload } from './send-download.ts';

/** A file made from a portfolio, byte for byte as `limitline run` writes it, so that Excel opens it. */
export type Written = {
  portfolio: string;
  only: 'all' | 'errors';
  format: 'csv' | 'xlsx';
  cause: string | undefined;
  /** The way in which the CSV of the results is written for a spreadsheet; undefined for the usual CSV, which can be imported again. */
  convention: { decimal: '.' | ','; delimiter: ',' | ';' | '\t'; mark: boolean } | undefined;
};

export type DownloadFunctions = {
  /** @throws LimitlineError `NOT_FOUND` where no file was imported into the portfolio */
  write: (what: Written, to: Writable, signal: AbortSignal) => Promise<void>;
  /** An imported file as it came; without a number, the last one. Undefined where there is none, or its copy is gone. */
  original: (
    portfolio: string,
    importNumber: number | undefined,
  ) => Promise<{ fileName: string; sizeBytes: number; content: () => Readable } | undefined>;
};

type Asked = { request: FastifyRequest; reply: FastifyReply };

/** The time limit of a download: a million rows take a minute to write, and longer for a slow client. */
const DOWNLOAD_LIMIT_MS = HOUR_MS;

const CSV = 'text/csv; charset=utf-8';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** The files that Limitline makes of a portfolio, by their name at the end of the address. */
const FILES: Readonly<Record<string, Pick<Written, 'only' | 'format'> & { type: string; what: string }>> = {
  'results.csv': { only: 'all', format: 'csv', type: CSV, what: 'results downloaded' },
  'errors.csv': { only: 'errors', format: 'csv', type: CSV, what: 'errors downloaded' },
  'results.xlsx': { only: 'all', format: 'xlsx', type: XLSX, what: 'results downloaded' },
};

/** `/portfolios/:name/downloads/…`: results, errors, a workbook, and each imported file. */
export const downloadsPage = page<DownloadFunctions>({ asItIs: true }, ({ get }) => [
  get('/portfolios/:name/downloads/:file', {
    may: SEES_BUYERS,
    limitMs: DOWNLOAD_LIMIT_MS,
    show: async ({ request, reply, params: { name = '', file = '' }, query, given }) => {
      if (!isPortfolioName(name)) throw nothingHere();
      if (file === 'original') return sendOriginal(name, numberOf(query.import), given, { request, reply });
      const wanted = Object.hasOwn(FILES, file) ? FILES[file] : undefined;
      if (!wanted) throw nothingHere();
      const cause = causeOf(query.cause);
      if (cause !== undefined && wanted.only !== 'errors') {
        throw new ConsoleError(422, t`The rows of one cause are in errors.csv?cause=… alone.`);
      }
      const convention = conventionOf(query);
      if (convention && file !== 'results.csv')
        throw new ConsoleError(422, t`Only the CSV of the results can have another decimal sign or delimiter.`);
      const fileName = `${name}-${cause === undefined ? file : `errors-${cause}.csv`}`;
      const { only, format } = wanted;
      return sendWritten({ only, format, portfolio: name, cause, convention }, { ...wanted, fileName }, given, {
        request,
        reply,
      });
    },
  }),
]);

/**
 * Sends a file that is written meanwhile. An error before the first byte becomes an error page. A later error breaks the
 * connection, so that no partial file looks whole.
 */
async function sendWritten(
  what: Written,
  file: { fileName: string; type: string; what: string },
  given: DownloadFunctions,
  asked: Asked,
): Promise<FastifyReply> {
  const { request, reply } = asked;
  const through = new PassThrough();
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, request.signal]);
  const writing = given.write(what, through, signal);
  writing.catch((error) => through.destroy(error));
  // Waits for the first byte, or for the end of writing, since an empty file never becomes readable.
  await Promise.race([once(through, 'readable', { signal }), writing]);
  const { portfolio, cause } = what;
  const facts = cause === undefined ? {} : { cause };
  return sendDownload(asked, { ...file, about: portfolio, facts }, through);
}

async function sendOriginal(
  portfolio: string,
  importNumber: number | undefined,
  { original }: DownloadFunctions,
  asked: Asked,
): Promise<FastifyReply> {
  const found = await original(portfolio, importNumber);
  if (!found) throw new ConsoleError(404, t`There is no such file, or its copy is gone from the data folder.`);
  // Always octet-stream: an uploaded page or script must be saved, never shown.
  const { fileName, sizeBytes } = found;
  const file = { fileName, sizeBytes, type: 'application/octet-stream', what: 'imported file downloaded' };
  const facts = importNumber === undefined ? {} : { import: importNumber };
  return sendDownload(asked, { ...file, about: portfolio, facts }, found.content());
}

function numberOf(text: unknown): number | undefined {
  if (text === undefined) return undefined;
  if (typeof text === 'string' && /^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw nothingHere();
}

const DECIMALS = { comma: ',', point: '.' } as const;
const SEPARATORS = { semicolon: ';', comma: ',', tab: '\t' } as const;

function conventionOf({ decimal, delimiter, excel }: Query): Written['convention'] {
  if (decimal === undefined && delimiter === undefined) return undefined;
  const isKnown = (of: object, word: unknown) => typeof word === 'string' && Object.hasOwn(of, word);
  if (!isKnown(DECIMALS, decimal) || !isKnown(SEPARATORS, delimiter)) {
    throw new ConsoleError(422, t`Choose a decimal mark (comma or point) and a separator (semicolon, comma or tab).`);
  }
  return {
    decimal: DECIMALS[decimal as keyof typeof DECIMALS],
    delimiter: SEPARATORS[delimiter as keyof typeof SEPARATORS],
    mark: excel !== undefined,
  };
}

function causeOf(text: unknown): string | undefined {
  if (text === undefined) return undefined;
  if (typeof text === 'string' && /^[a-z0-9]{1,16}$/.test(text)) return text;
  throw new ConsoleError(422, t`No cause has this id: see the causes of the portfolio.`);
}

function nothingHere(): ConsoleError {
  return new ConsoleError(404, t`There is nothing to download under this address.`);
}
