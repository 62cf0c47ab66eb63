import { Readable } from 'node:stream';
import { exportLines } from '../../src/audit/export-lines.ts';
import type { AuditPageFunctions } from '../../src/console/pages/audit/add-audit-page.ts';
import type { AuditQuery } from '../../src/console/pages/audit/audit-query.ts';
import type { Context } from '../../src/context.ts';

/** A screen and a half. */
const SHOWN = 50;

/** Some thirty milliseconds, of the hundred that a page may take. */
const WALK = 5_000;

const DAY_MS = 86_400_000;

/** What the page of the audit trail is handed. */
export function auditPageFunctions({ audit }: Pick<Context, 'audit'>): AuditPageFunctions {
  /** The number behind the last entry of a day. */
  const behind = async (day: string): Promise<number | undefined> =>
    (await audit.read.firstSince(Date.parse(day) + DAY_MS))?.place;
  return {
    page: async ({ by, what, about, day, before }: AuditQuery) => {
      const filter = {
        ...(by === undefined ? {} : { by }),
        ...(what === undefined ? {} : { what }),
        ...(about === undefined ? {} : { about }),
      };
      const top = before ?? (day === undefined ? undefined : await behind(day));
      const [page, total] = await Promise.all([
        audit.read.page({ before: top, count: SHOWN, filter, walk: WALK }),
        audit.read.count(),
      ]);
      return { ...page, total, walk: WALK };
    },
    export: () => Readable.from(exportLines(audit.read)),
  };
}
