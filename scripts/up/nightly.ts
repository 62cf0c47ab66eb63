import { setTimeout as sleep } from 'node:timers/promises';
import { reconcile } from '../../jobs/nightly/reconcile.ts';
import { accountOf, readSettings } from '../../src/config.ts';
import { type Context, openContext } from '../../src/context.ts';
import { messageOf } from '../../src/errors.ts';
import type { ReportFinding } from '../../src/ledger/nightly/night-report.ts';
import { type Log, makeSilentLog } from '../../src/log.ts';
import { commandLineFrom } from '../audit/audit-command.ts';
import { printReport } from '../nightly/print-report.ts';

/** When nobody works, and before those who do come. */
const HOUR = 2;
const MINUTE = 30;

/** Of several that run on one Redis one does it; long enough for their clocks to differ, and over before the next night. */
const TAKEN_S = 20 * 3_600;

/** The next time of night by the clock on the wall, after `nowMs`; where the clock is put forward over it, an hour later. */
export function nextNight(nowMs: number): number {
  const now = new Date(nowMs);
  const tonight = new Date(now.getFullYear(), now.getMonth(), now.getDate(), HOUR, MINUTE);
  if (tonight.getTime() > nowMs) return tonight.getTime();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, HOUR, MINUTE).getTime();
}

/** Does every night what `limitline reconcile` does, and cuts the audit trail where that is wished, until it is stopped. */
export function startNightly({ log }: { log: Log }) {
  const ending = new AbortController();
  const { signal } = ending;
  const go = async (): Promise<void> => {
    while (!signal.aborted) {
      await sleep(nextNight(Date.now()) - Date.now(), undefined, { signal });
      await reconcileOnce(log).catch((error) => {
        log.error({ reason: messageOf(error) }, 'the nightly check could not be made; the next night tries again');
      });
      await cutAuditOnce(log).catch((error) => {
        log.error({ reason: messageOf(error) }, 'the audit trail could not be cut; the next night tries again');
      });
    }
  };
  const going = go().catch(() => {});
  return {
    async stop(): Promise<void> {
      ending.abort();
      await going;
    },
  };
}

/** The nightly check, where no other process on this Redis has made it tonight. Answers whether it was made here. */
export async function reconcileOnce(log: Log, settings = readSettings()): Promise<boolean> {
  const context = await openContext({ settings, log: makeSilentLog() });
  try {
    const { ledger, keys, processId } = context;
    if ((await ledger.set(keys.nightly('reconcile'), processId, 'EX', TAKEN_S, 'NX')) === null) return false;
    const now = new Date();
    const night = { id: now.toISOString(), atMs: now.getTime(), by: BY, signal: new AbortController().signal };
    const { report } = await reconcile({ ...context, printReport }, night);
    const findings = await context.reports.findings(report, 0, MOST_NAMED);
    if (findings.length > 0) await noteMended(findings, context);
    const account = accountOf(settings);
    log[findings.length > 0 ? 'warn' : 'info'](
      { account, findings },
      findings.length > 0 ? 'the nightly check found something, see findings' : 'ledger and queues agree',
    );
    return true;
  } finally {
    await context.close();
  }
}

/** So many findings stand in the log and in the audit; the report has all. */
const MOST_NAMED = 20;

/** Who acts at night. */
const BY = 'nightly';

/** What was found is mended already: it was nobody's wish, and is written down behind it. */
function noteMended(findings: readonly ReportFinding[], { audit }: Pick<Context, 'audit'>): Promise<void> {
  const facts = { findings: findings.map(({ portfolio, finding, rows }) => ({ portfolio, finding, rows })) };
  return audit.note({ by: BY, what: 'ledger reconciled', from: commandLineFrom(), facts });
}

/**
 * Cuts off what of the audit trail is older than `LIMITLINE_AUDIT_DAYS`, where that is set and no other process on this Redis has
 * done it tonight. Answers whether it was done here.
 */
export async function cutAuditOnce(log: Log, settings = readSettings()): Promise<boolean> {
  const days = settings.LIMITLINE_AUDIT_DAYS;
  if (days === undefined) return false;
  const context = await openContext({ settings, log: makeSilentLog() });
  try {
    const { ledger, keys, processId, audit } = context;
    if ((await ledger.set(keys.nightly('audit'), processId, 'EX', TAKEN_S, 'NX')) === null) return false;
    const cut = await audit.cut({ beforeMs: Date.now() - days * DAY_MS, by: BY, from: commandLineFrom() });
    if (cut) log.info(cut, `audit entries older than ${days} days were cut off, up to the number given`);
    return true;
  } finally {
    await context.close();
  }
}

const DAY_MS = 86_400_000;
