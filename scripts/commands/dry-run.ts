import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../src/config.ts';
import { counted } from '../../src/counted.ts';
import { messageOf } from '../../src/errors.ts';
import type { MadeBefore } from '../../src/ledger/made-before.ts';
import { makeSilentLog } from '../../src/log.ts';
import { type Forecast, makeForecaster } from '../../src/portfolio/forecast.ts';
import type { Line } from '../../src/portfolio/row.ts';

/** What an import would do, as `check` says it. `before` is null where there is no ledger to ask. */
export type DryRun = Forecast & {
  before: { limits: number; companies: number } | null;
  /** Of the calls that are left at `SERVICE_RATE_PER_S`; null where no pace is known. */
  durationS: number | null;
};

/** A ledger to look into, if there is one already. Nothing is started where nothing is. */
export type Ledger = { madeBefore: MadeBefore | null; fault: string | null; close(): Promise<void> };

/** Looks for the ledger of these settings: the Redis that is given, or the data folder's own if it was used before. */
export async function findLedger(settings: Settings): Promise<Ledger> {
  const none = { madeBefore: null, fault: null, close: async () => {} };
  const isThere = settings.REDIS_URL !== undefined || existsSync(join(settings.LIMITLINE_DATA, 'redis'));
  if (!isThere) return none;
  try {
    // Loaded only here: most checks are made before there is a Redis, and use no memory for it.
    const [{ openContext }, { makeMadeBefore }] = await Promise.all([
      import('../../src/context.ts'),
      import('../../src/ledger/made-before.ts'),
    ]);
    const context = await openContext({ settings, log: makeSilentLog() });
    const madeBefore = makeMadeBefore({ connection: context.ledger, keys: context.keys });
    return { madeBefore, fault: null, close: context.close };
  } catch (error) {
    return { ...none, fault: `What was requested before cannot be told: ${messageOf(error)}` };
  }
}

/** Adds up a file, batch by batch. */
export function makeDryRun({ ledger, ratePerS }: { ledger: Ledger; ratePerS: number | undefined }) {
  const forecaster = makeForecaster();
  const before = { limits: 0, companies: 0 };
  return {
    async add(batch: readonly Line[]): Promise<void> {
      const fresh = forecaster.add(batch);
      if (!ledger.madeBefore) return;
      before.limits += await ledger.madeBefore('limit', fresh.limits);
      before.companies += await ledger.madeBefore('company', fresh.companies);
    },
    result(): DryRun {
      const forecast = forecaster.forecast();
      const { limits, companies, documents } = forecast;
      const calls = limits + companies + documents - before.limits - before.companies;
      return {
        ...forecast,
        before: ledger.madeBefore ? before : null,
        durationS: ratePerS === undefined ? null : Math.ceil(calls / ratePerS),
      };
    },
  };
}

/** `An import would request 3 limits …`, one sentence a fact. */
export function dryRunWords({
  limits,
  documents,
  companies,
  uploadBytes,
  requested,
  before,
  durationS,
}: DryRun): string {
  const parts = [
    `An import would request ${counted(limits, 'limit')}, ${requested} in sum, and create ${counted(companies, 'company', 'companies')}`,
    `; ${counted(documents, 'document')} would go up, ${(uploadBytes / 1_000_000).toFixed(1)} MB.`,
  ];
  if (before) {
    parts.push(
      ` Of these, ${counted(before.limits, 'limit')} and ${counted(before.companies, 'company', 'companies')} were made before, and are not made again.`,
    );
  }
  if (durationS !== null) parts.push(` At SERVICE_RATE_PER_S that takes ${durationS.toLocaleString('en')} s at least.`);
  return parts.join('');
}
