import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { readInbox } from '../../jobs/inbox/watch-inbox.ts';
import { addRule } from '../../jobs/nightly/retry-by-rules.ts';
import { listEvents } from '../../jobs/story/list-events.ts';
import type { EventPageFunctions, EventsFunctions } from '../../src/console/pages/events/events.ts';
import type { ShownFinding } from '../../src/console/pages/nightly/finding-view.ts';
import type { ShownGroup } from '../../src/console/pages/nightly/report-view.ts';
import type { RuleFunctions } from '../../src/console/pages/nightly/rules-view.ts';
import type { ScheduleFunctions } from '../../src/console/pages/nightly/schedule-view.ts';
import type { NightlyPageFunctions, ReportFunctions } from '../../src/console/pages/nightly/sections.ts';
import type { Context } from '../../src/context.ts';
import { shownBody } from '../../src/ledger/events/kept-event.ts';
import { countAll, type NightReport } from '../../src/ledger/nightly/checks.ts';
import { rulesNow } from '../../src/ledger/nightly/retry-rules.ts';
import { printReport } from '../nightly/report-table.ts';
import { readScheduleFacts } from '../nightly/schedule-table.ts';
import { readNoticesFacts } from '../notices/notices-list.ts';

export function nightlyPageFunctions(context: Context): NightlyPageFunctions {
  return {
    report: reportFunctions(context),
    rules: ruleFunctions(context),
    inbox: { look: () => readInbox(context) },
    events: eventsFunctions(context),
    notices: { look: (most) => readNoticesFacts(context, most) },
    schedule: scheduleFunctions(context),
  };
}

function ruleFunctions(context: Pick<Context, 'retryRules' | 'portfolios' | 'failing'>): RuleFunctions {
  return {
    look: () => rulesNow(context),
    add: async (form, by) => (await addRule(form, by, context)).id,
    remove: async (id) => (await context.retryRules.remove(id)) !== undefined,
  };
}

export function scheduleFunctions(context: Context): ScheduleFunctions {
  return {
    look: () => readScheduleFacts(context),
    async run(task, asker) {
      await context.maintenance().oneAtATime();
      await context.maintenance().add({ task, dueMs: Date.now(), ...asker });
    },
  };
}

/** How many findings of a check are shown on a report's page, which has up to twenty checks, and on a check's own page. */
const SHOWN_FIRST = 10;
const SHOWN_PAGE = 50;

/** Reports on a page: a month of nights. */
const LISTED = 31;

function reportFunctions({ reports }: Pick<Context, 'reports'>): ReportFunctions {
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

/** The most bytes of an event's body that a page shows. The export has all. */
const SHOWN_BYTES = 16_384;

/**
 * How many portfolios, the latest, are searched for the rows that events name: events usually concern these, and accounts may have
 * thousands.
 */
const LATEST_PORTFOLIOS = 300;

export function eventsFunctions(context: Pick<Context, 'events' | 'archives'>): EventsFunctions {
  return {
    look: async (count) => ({
      ...(await listEvents({ count, latest: LATEST_PORTFOLIOS }, context)),
      nowMs: Date.now(),
    }),
  };
}

export function eventPageFunctions({ events }: Pick<Context, 'events'>): EventPageFunctions {
  return {
    async look(id) {
      const raw = await events.raw(id);
      if (!raw) return undefined;
      const { body, headers, ...event } = raw;
      const [named = { rows: [], moreRows: false }] = await events.rowsOf([event]);
      return { event: { ...event, ...named }, headers: Object.entries(headers), body: shownBody(body, SHOWN_BYTES) };
    },
  };
}
