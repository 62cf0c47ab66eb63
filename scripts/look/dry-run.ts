import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { OutlookDeps } from '../../jobs/preview/outlook.ts';
import { idempotencyOf, type Settings } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { allBeforeWords, counted, earlierRows, moneyText, replacedWords, sizeWords } from '../../src/counted.ts';
import { messageOf } from '../../src/errors.ts';
import { heldRemedy } from '../../src/held-remedy.ts';
import { makeForesight } from '../../src/ledger/rows/put-rows.ts';
import { makeWordsLog } from '../../src/log.ts';
import type { DryRun } from '../../src/portfolio/preview.ts';

/** A ledger that is only read. `context` is null if there is none, or if it cannot be opened; then `fault` says why. */
export type Ledger = { context: Context | null; fault: string | null; close(): Promise<void> };

/** Opens the ledger of these settings, if there is one: the given Redis, or the data folder's own if it was used before. */
export async function findLedger(settings: Settings): Promise<Ledger> {
  const none = { context: null, fault: null, close: async () => {} };
  const isThere = settings.REDIS_URL !== undefined || existsSync(join(settings.LIMITLINE_DATA, 'redis'));
  if (!isThere) return none;
  try {
    // Loaded late: most checks run before there is a Redis, and save its memory.
    const { openContext } = await import('../../src/context.ts');
    const context = await openContext({ settings, log: makeWordsLog({ level: 'error' }), awaitsData: false });
    return { context, fault: null, close: context.close };
  } catch (error) {
    return { ...none, fault: `It is not known what was requested before: ${messageOf(error)}` };
  }
}

/** The parts of a context that a prediction reads. */
export function outlookDepsOf(given: Context): OutlookDeps {
  const { ledger: connection, keys, settings, buyers, rows, portfolios, imports } = given;
  return {
    foresight: makeForesight({ connection, keys }),
    buyers,
    rows,
    portfolios,
    imports,
    onUnknownCompany: { withoutIt: settings.ON_UNKNOWN_COMPANY, header: idempotencyOf(settings)?.header },
  };
}

/**
 * `An import would request 3 limits …`, one sentence per fact.
 *
 * @param currency the one that the file names
 */
export function dryRunWords(dryRun: DryRun, currency?: string): string {
  const { limits, documents, companies, uploadBytes, requested, open, revived = 0 } = dryRun;
  const { replaced, doubted = 0, besides, alike = 0, before, durationS } = dryRun;
  const all = before && limits + before.held === 0 ? allBeforeWords(before.limits, before.limits) : undefined;
  if (all !== undefined) return `${all}: an import would request nothing.`;
  const parts = [
    `An import would request ${counted(limits, 'limit')} (${moneyText(requested, currency)} in total), create ${counted(companies, 'company', 'companies')}`,
    ` and upload ${counted(documents, 'document')}${documents > 0 ? ` (${sizeWords(uploadBytes)})` : ''}.`,
  ];
  if (open > 0) parts.push(` ${counted(open, 'of these limits waits', 'of these limits wait')} already.`);
  if (revived > 0) {
    const words = counted(revived, 'of these limits was', 'of these limits were');
    parts.push(` ${words} given up before and would be requested after all.`);
  }
  if (replaced > 0) parts.push(` ${replacedWords(replaced, 'would be')}`);
  if (doubted > 0)
    parts.push(` ${earlierRows(doubted)} would be cancelled, since invalid lines may correct what they ask for.`);
  if (besides.limits > 0) {
    const words = counted(
      besides.limits,
      'of these limits is for a buyer that has',
      'of these limits are for buyers that have',
    );
    parts.push(
      ` ${words} another limit, open, made or in this file, and ${besides.limits === 1 ? 'comes' : 'come'} on top of it (${moneyText(besides.requested, currency)} in total).`,
    );
  }
  if (alike > 0) {
    const words = counted(alike, 'of these limits is for a buyer', 'of these limits are for buyers');
    parts.push(` ${words} that may be known under another identifier.`);
  }
  if (before && before.limits > 0) {
    parts.push(
      ` ${counted(before.limits, 'limit was', 'limits were')} requested before and will not be requested again.`,
    );
  }
  if (before && before.companies > 0) {
    parts.push(` ${counted(before.companies, 'company exists', 'companies exist')} already.`);
  }
  const { held = 0, needAnswer = 0, heldIn } = before ?? {};
  if (held > needAnswer) {
    parts.push(` ${counted(held - needAnswer, 'more is', 'more are')} under way and will not be requested again.`);
  }
  if (needAnswer > 0) {
    parts.push(
      ` ${counted(needAnswer, 'more is', 'more are')} held and will not be requested again. ${heldRemedy(heldIn)}.`,
    );
  }
  if (durationS !== null)
    parts.push(` At SERVICE_RATE_PER_S the calls take at least ${durationS.toLocaleString('en')} s.`);
  return parts.join('');
}
