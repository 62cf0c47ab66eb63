import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ShownFinding } from '../../../src/console/pages/nightly/finding-view.ts';
import type { ReportFunctions } from '../../../src/console/pages/nightly/nightly-functions.ts';
import type { ShownGroup } from '../../../src/console/pages/nightly/report-view.ts';
import type { Context } from '../../../src/context.ts';
import { countAll, type NightReport } from '../../../src/ledger/nightly/night-report.ts';
import { printReport } from '../../nightly/report-table.ts';

/** Findings per check: on a report's page, which has up to twenty checks, and on a check's own page. */
const SHOWN_FIRST = 10;
const SHOWN_PAGE = 50;

/** Reports on a page: a month of nights. */
const LISTED = 31;

/** The functions for nightly reports. */
export function reportFunctions({ reports }: Pick<Context, 'reports'>): ReportFunctions {
  const findingsOf = async (id: string, from: number, count: number): Promise<ShownFinding[]> => {
    const [found, examples] = await Promise.all([reports.findings(id, from, count), reports.examples(id, from, count)]);
    return found.map((finding, place) => ({ ...finding, examples: examples[place] ?? [] }));
  };
  const firstOf = async (id: string, group: NightReport['groups'][number]): Promise<ShownGroup> => {
    return { ...group, shown: await findingsOf(id, group.from, Math.min(group.findings, SHOWN_FIRST)) };
  };

  return {
    async read(id) {
      const report = await reports.read(id);
      if (!report) return undefined;
      return { report, groups: await Promise.all(report.groups.map((group) => firstOf(report.id, group))) };
    },

    async group(id, { section, check, after }) {
      const report = await reports.read(id);
      const group = report?.groups.find((one) => one.section === section && one.check === check);
      if (!report || !group || after >= group.findings) return undefined;
      const shown = await findingsOf(id, group.from + after, Math.min(SHOWN_PAGE, group.findings - after));
      const next = after + SHOWN_PAGE;
      return { atMs: report.atMs, group: { ...group, shown }, ...(next < group.findings ? { next } : {}) };
    },

    async list(beforeMs) {
      const found = await reports.list({ ...(beforeMs === undefined ? {} : { beforeMs }), count: LISTED + 1 });
      const shown = found.slice(0, LISTED);
      const last = shown.at(-1);
      return {
        reports: shown,
        ...(beforeMs === undefined ? {} : { beforeMs }),
        ...(found.length > LISTED && last ? { next: last.madeMs } : {}),
      };
    },

    async file(id, file) {
      const report = await reports.read(id);
      if (!report) return undefined;
      const left = await leftFile(report, file);
      if (left || file === 'items.csv') return left;
      // If the file is not on this host, it is rendered anew, with the examples still kept.
      const findings = await findingsOf(report.id, 0, countAll(report));
      return { content: () => Readable.from(printReport({ report, findings })) };
    },
  };
}

/** A report's file, if it is on this host. */
async function leftFile({ files }: NightReport, file: 'items.csv' | 'report.html') {
  const name = file === 'items.csv' ? files?.items : files?.page;
  if (!files || name === undefined || files.host !== hostname()) return undefined;
  const path = join(files.folder, name);
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? { sizeBytes: found.size, content: () => createReadStream(path) } : undefined;
}
