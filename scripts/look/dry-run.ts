import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ImportOutlook, importOutlookOf, type OutlookDeps } from '../../jobs/preview/outlook.ts';
import type { Settings } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { allBeforeWords, counted } from '../../src/counted.ts';
import { messageOf } from '../../src/errors.ts';
import { heldRemedy } from '../../src/held-remedy.ts';
import { makeForesight } from '../../src/ledger/rows/foresight.ts';
import { makeWordsLog } from '../../src/log.ts';
import { moneyText } from '../../src/money-text.ts';
import type { DryRun } from '../../src/portfolio/preview.ts';

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
    const context = await openContext({ settings, log: makeWordsLog({ level: 'error' }) });
    return { context, fault: null, close: context.close };
  } catch (error) {
    return { ...none, fault: `It is not known what was requested before: ${messageOf(error)}` };
  }
}

/** What an import of the file would find in the ledger of this context, if there is one. Nothing is written. */
export function outlookOf(
  context: Context | null,
  file: Parameters<typeof importOutlookOf>[1],
): Promise<ImportOutlook> {
  return importOutlookOf(context && outlookDepsOf(context), file);
}

/** The ledger of a context, as one looks into it. */
export function outlookDepsOf({ ledger: connection, keys, settings, buyers, rows, portfolios }: Context): OutlookDeps {
  const isRepeatable = settings.SERVICE_IDEMPOTENCY_HEADER !== undefined;
  return {
    foresight: makeForesight({ connection, keys }),
    buyers,
    rows,
    portfolios,
    onUnknownCompany: isRepeatable ? 'resend' : settings.ON_UNKNOWN_COMPANY,
  };
}

/** `An import would request 3 limits …`, one sentence a fact. */
export function dryRunWords(dryRun: DryRun): string {
  const { limits, documents, companies, uploadBytes, requested, open, besides, before, durationS } = dryRun;
  const all = before && limits + before.held === 0 ? allBeforeWords(before.limits, before.limits) : undefined;
  if (all !== undefined) return `${all}: an import would request nothing.`;
  const parts = [
    `An import would request ${counted(limits, 'limit')} (${moneyText(requested)} in total), create ${counted(companies, 'company', 'companies')}`,
    ` and upload ${counted(documents, 'document')} (${(uploadBytes / 1_000_000).toFixed(1)} MB).`,
  ];
  if (open > 0) parts.push(` ${counted(open, 'of them waits', 'of them wait')} already.`);
  if (besides.limits > 0) {
    const words = counted(besides.limits, 'of them is for a buyer that has', 'of them are for buyers that have');
    parts.push(` ${words} another limit already, open or made (${moneyText(besides.requested)} in total).`);
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
    parts.push(` ${words} held or under way and will not be requested again. ${heldRemedy()}`);
  }
  if (durationS !== null) parts.push(` At SERVICE_RATE_PER_S that takes at least ${durationS.toLocaleString('en')} s.`);
  return parts.join('');
}
