import { makeReport } from '../../jobs/nightly/report/make-report.ts';
import { printReport } from '../../scripts/nightly/report-table.ts';
import type { AccessFunctions } from '../../src/console/access/add-access.ts';
import type { FoundItem } from '../../src/ledger/nightly/checks.ts';
import { openConsole } from './desk.ts';
import { foundItem } from './found-items.ts';
import { ownRedis } from './ledger.ts';
import { makeFolder } from './workplace.ts';

/** A console on an empty ledger, with nights that have given findings. */
export async function openNightlyConsole(who: Partial<AccessFunctions> = {}) {
  const cwd = await makeFolder();
  const env = ownRedis();
  const web = await openConsole({ cwd, env }, who);
  return {
    ...web,
    cwd,
    /** A night with these findings; returns its report. */
    night: (id: string, items: readonly FoundItem[]) => {
      const night = { id, atMs: Date.parse(id), by: 'nightly', signal: new AbortController().signal };
      const look = async (sink: { found: (item: FoundItem) => unknown }) => {
        for (const item of items) await sink.found(item);
        return { portfolios: 12, rows: 45_210 };
      };
      return makeReport(night, look, { ...web.context, printReport });
    },
  };
}

/** Two nights of an ordinary week; the second has findings of every kind. */
export function ordinaryNights(): [FoundItem[], FoundItem[]] {
  const refused = (line: number) =>
    foundItem({
      line,
      key: `row-of-line-${line}`.padEnd(16, '_').slice(0, 16),
      name: `Buyer ${line} GmbH & Co. KG`,
      requested: `${line}000.50`,
      says: 'refused with status 422 at the limit: requested_limit is above what the service takes',
    });
  const gone = foundItem({ check: 'old statements', says: 'statements are older than 22 months', requested: '900000' });
  const below = foundItem({
    check: 'granted below',
    says: 'granted less than requested',
    requested: '250000',
    granted: '100000',
    detail: 'bl_8f3a2c',
  });
  return [
    [refused(2), refused(3), gone, below],
    [
      ...Array.from({ length: 30 }, (_none, place) => refused(place + 2)),
      below,
      foundItem({
        check: 'held',
        portfolio: 'autumn-2026',
        says: 'held for more than a week: no answer within 30 s',
        command: 'resolve autumn-2026 --line 7',
        sinceMs: Date.parse('2026-11-10T09:00:00Z'),
      }),
      foundItem({
        check: 'calls',
        says: 'rows that are done, and whose call was never settled',
        command: 'resolve q4 --line 12 --made bl_12',
        line: 12,
      }),
      {
        check: 'no job',
        portfolio: 'q4',
        says: 'rows in progress had no job; they have one again',
        rows: 41,
        isMended: true,
      },
    ],
  ];
}
