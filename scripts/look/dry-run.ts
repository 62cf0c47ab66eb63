import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileNameOf, makeBuyerStore } from '../../jobs/import/buyer-store.ts';
import { sha256Of } from '../../jobs/import/file-digest.ts';
import { type ForeseeDeps, foresee } from '../../jobs/import/foresee.ts';
import type { Settings } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { counted } from '../../src/counted.ts';
import { messageOf } from '../../src/errors.ts';
import { fileFault } from '../../src/files/file-fault.ts';
import { makeForesight } from '../../src/ledger/foresight.ts';
import { makeSilentLog } from '../../src/log.ts';
import { type Forecast, makeForecaster } from '../../src/portfolio/forecast.ts';
import { type BuyerBook, makeBuyerBook } from '../../src/portfolio/identity/buyer-book.ts';
import { makeFileBook } from '../../src/portfolio/identity/in-file/book.ts';
import { makeFileBuyers } from '../../src/portfolio/identity/in-file/buyers.ts';
import { makeKeySet } from '../../src/portfolio/identity/key-set.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import type { ReadOptions } from '../../src/portfolio/read-options.ts';
import { makeExactSum } from '../../src/portfolio/values/exact-sum.ts';
import { unclearCorrections } from './unclear-corrections.ts';

/** What an import would request, create and send, as `check` says it: `limits`, `companies` and the sum are of that alone. */
export type DryRun = Forecast & {
  /** Of the limits, those whose rows wait in this portfolio already. */
  open: number;
  /** Of the limits, those whose buyers have another request that is open or made, and their sum. */
  besides: { limits: number; requested: string };
  /** What was made before, and limits that are held, or under way: not requested again. null where there is no ledger to ask. */
  before: { limits: number; companies: number; held: number } | null;
  /** Of the calls at `SERVICE_RATE_PER_S`; null where no pace is known. */
  durationS: number | null;
};

/** How a file is told what an import into this portfolio would find. Without a ledger, it is told by itself. */
export type Outlook = { buyers: BuyerBook; foresees: ForeseeDeps | null };

/** A ledger to look into, if there is one already. Nothing is started where nothing is. */
export type Ledger = { context: Context | null; fault: string | null; close(): Promise<void> };

/** Looks for the ledger of these settings: the Redis that is given, or the data folder's own if it was used before. */
export async function findLedger(settings: Settings): Promise<Ledger> {
  const none = { context: null, fault: null, close: async () => {} };
  const isThere = settings.REDIS_URL !== undefined || existsSync(join(settings.LIMITLINE_DATA, 'redis'));
  if (!isThere) return none;
  try {
    // Loaded only here: most checks are made before there is a Redis, and use no memory for it.
    const { openContext } = await import('../../src/context.ts');
    const context = await openContext({ settings, log: makeSilentLog() });
    return { context, fault: null, close: context.close };
  } catch (error) {
    return { ...none, fault: `It is not known what was requested before: ${messageOf(error)}` };
  }
}

/** What an import of the file at `path` into the portfolio would find. Nothing is written, also not who its buyers are. */
export async function outlookOf(
  context: Context | null,
  { portfolio, path, reading }: { portfolio: string; path: string; reading: ReadOptions },
): Promise<Outlook> {
  if (!context) return { buyers: makeFileBook({ portfolio, importId: '' }), foresees: null };
  const { ledger: connection, keys, settings } = context;
  // A Redis that goes away ends a look; only what requests waits for it.
  const store = makeBuyerStore({ buyers: context.buyers, persist: (_what, run) => run() });
  const place = { portfolio, importId: await importIdOf(path) };
  const isRepeatable = settings.SERVICE_IDEMPOTENCY_HEADER !== undefined;
  return {
    buyers: makeBuyerBook(makeFileBuyers({ ...place, store }), place),
    foresees: {
      portfolio,
      foresight: makeForesight({ connection, keys }),
      onUnknownCompany: isRepeatable ? 'resend' : settings.ON_UNKNOWN_COMPANY,
      ...(place.importId === '' ? {} : await unclearCorrections({ ...place, path, reading }, context)),
    },
  };
}

/** Which import it would be. What can be read once only, such as a pipe, is taken for one that was never imported. */
async function importIdOf(path: string): Promise<string> {
  try {
    return (await stat(path)).isFile() ? fileNameOf(await sha256Of(path)) : '';
  } catch (error) {
    throw fileFault(path, 'read', error);
  }
}

/** Adds up a file, batch by batch. */
export function makeDryRun({
  foresees,
  ratePerS,
  onWanted = () => {},
}: {
  foresees: ForeseeDeps | null;
  ratePerS: number | undefined;
  /** Is told of the lines that lead to a request. */
  onWanted?: (lines: readonly Line[]) => void;
}) {
  const forecaster = makeForecaster();
  const there = makeKeySet();
  const before = { limits: 0, companies: 0, held: 0 };
  let [open, created, besides] = [0, 0, 0];
  const besidesSum = makeExactSum();
  return {
    /** Answers the lines as an import would take them: one that differs from what was sent is invalid. */
    async add(batch: readonly Line[]): Promise<Line[]> {
      if (!foresees) {
        onWanted(batch);
        created += forecaster.add(batch).companies.length;
        return [...batch];
      }
      const foreseen = await foresee(batch, foresees);
      const wanted = foreseen.filter(({ fate }) => fate === 'request' || fate === 'open');
      const made = new Set<string>();
      for (const { line, fate, company, isBesides } of foreseen) {
        if (fate === 'before') before.limits += 1;
        if (fate === 'held') before.held += 1;
        if (fate === 'open') open += 1;
        if (line.kind === 'row' && isBesides) {
          besides += 1;
          besidesSum.add(line.row.limit.requested_limit);
        }
        if (line.kind !== 'row' || company !== 'made') continue;
        made.add(line.row.buyer);
        if (there.add(line.row.buyer)) before.companies += 1;
      }
      onWanted(wanted.map(({ line }) => line));
      const { companies } = forecaster.add(wanted.map(({ line }) => line));
      created += companies.filter((buyer) => !made.has(buyer)).length;
      return foreseen.map(({ line }) => line);
    },
    result(): DryRun {
      const forecast = forecaster.forecast();
      const calls = forecast.limits + created + forecast.documents;
      return {
        ...forecast,
        companies: created,
        open,
        besides: { limits: besides, requested: besidesSum.total() },
        before: foresees ? before : null,
        durationS: ratePerS === undefined ? null : Math.ceil(calls / ratePerS),
      };
    },
  };
}

/** `An import would request 3 limits …`, one sentence a fact. */
export function dryRunWords(dryRun: DryRun): string {
  const { limits, documents, companies, uploadBytes, requested, open, besides, before, durationS } = dryRun;
  const parts = [
    `An import would request ${counted(limits, 'limit')} (${requested} in total), create ${counted(companies, 'company', 'companies')}`,
    ` and upload ${counted(documents, 'document')} (${(uploadBytes / 1_000_000).toFixed(1)} MB).`,
  ];
  if (open > 0) parts.push(` ${counted(open, 'of them waits', 'of them wait')} in this portfolio already.`);
  if (besides.limits > 0) {
    const words = counted(besides.limits, 'of them is for a buyer that has', 'of them are for buyers that have');
    parts.push(` ${words} another limit already, open or made (${besides.requested} in total).`);
  }
  if (before && before.limits > 0) {
    parts.push(
      ` ${counted(before.limits, 'limit was', 'limits were')} requested before and will not be requested again.`,
    );
  }
  if (before && before.companies > 0) {
    parts.push(` ${counted(before.companies, 'company exists', 'companies exist')} already.`);
  }
  if (before && before.held > 0) {
    const words = counted(before.held, 'more is', 'more are');
    parts.push(
      ` ${words} held or under way and will not be requested again; to say what became of held ones: npx limitline resolve`,
    );
  }
  if (durationS !== null) parts.push(` At SERVICE_RATE_PER_S that takes at least ${durationS.toLocaleString('en')} s.`);
  return parts.join('');
}
