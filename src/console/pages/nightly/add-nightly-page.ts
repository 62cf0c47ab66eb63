import { grouped } from '../../../counted.ts';
import { LimitlineError } from '../../../errors.ts';
import { CHECKS, type CheckName } from '../../../ledger/nightly/checks.ts';
import { SECTION_WORDS } from '../../../ledger/nightly/compare-reports.ts';
import { SECTIONS as PARTS } from '../../../ledger/nightly/night-report.ts';
import { TASKS } from '../../../schedule/schedule.ts';
import type { Rights } from '../../access/access.ts';
import { addAction } from '../../actions/add-action.ts';
import { type ConsoleApp, ConsoleError } from '../../console-app.ts';
import { type Html, html } from '../../html/html.ts';
import { pageHead, panel, panelHeading } from '../../parts/page-head.ts';
import { pager } from '../../parts/table.ts';
import { nightlyAddress, reportAddress } from '../addresses.ts';
import { sendDownload } from '../downloads/send-download.ts';
import { findingView } from './finding-view.ts';
import type { NightlyParts, ReportPlace } from './nightly-functions.ts';
import {
  groupTitle,
  nightTitle,
  reportHead,
  reportSections,
  type ShownGroup,
  type ShownReport,
} from './report-view.ts';
import type { RuleFunctions } from './rules-view.ts';
import { fileButtons, SECTIONS } from './sections.ts';

/** A million items take seconds to read; a slow client takes longer. */
const DOWNLOAD_LIMIT_MS = 3_600_000;

/** `/nightly`: the nightly tasks and their results; `/nightly/reports/:id`: one report, and its files. */
export function addNightlyPage(app: ConsoleApp, given: NightlyParts): void {
  addRuleActions(app, given.rules);
  addScheduleAction(app, given.schedule);
  app.get('/nightly', async (request, reply) => {
    const query = request.query as Record<string, unknown>;
    const asked = { rights: request.rights, csrf: reply.csrf(), query };
    const views = await Promise.all(SECTIONS.map(({ view }) => view(given, asked)));
    const shown = SECTIONS.map(({ title }, place) => ({ title, comesFirst: false, ...(views[place] ?? { body: '' }) }));
    shown.sort((one, other) => Number(other.comesFirst) - Number(one.comesFirst));
    const lead = 'What is done while nobody works, and what the check of all records found.';
    return reply.page({
      title: 'Nightly',
      at: 'nightly',
      body: html`${pageHead({ title: 'Nightly', lead })}${jumpTo(shown)}${shown.map((given) => panel(given))}`,
    });
  });
  app.get('/nightly/reports/:id', async (request, reply) => {
    const { id = '' } = request.params as Record<string, string>;
    const place = placeOf(request.query as Record<string, unknown>);
    if (place) {
      const found = await given.report.group(id, place);
      if (!found) throw noReport();
      const title = `${CHECKS[place.check].title} (${nightTitle(found)})`;
      return reply.page({ title, at: 'nightly', body: groupPage(id, place, found) });
    }
    const shown = await given.report.read(id);
    if (!shown) throw noReport();
    return reply.page({
      title: `Report of ${nightTitle(shown.report)}`,
      at: 'nightly',
      body: reportPage(shown, request.rights),
    });
  });
  app.get('/nightly/reports/:id/:file', { handlerTimeout: DOWNLOAD_LIMIT_MS }, async (request, reply) => {
    const { id = '', file = '' } = request.params as Record<string, string>;
    if (file !== 'items.csv' && file !== 'report.html') throw noFile();
    const found = await given.report.file(id, file);
    if (!found) throw noFile();
    const type = file === 'items.csv' ? 'text/csv; charset=utf-8' : 'text/html; charset=utf-8';
    const fileName = `nightly-${id.slice(0, 16).replace(/[^\w-]+/g, '-')}-${file}`;
    const download = { fileName, type, what: 'nightly report downloaded', facts: { report: id } };
    const { sizeBytes, content } = found;
    return sendDownload(
      { request, reply },
      { ...download, ...(sizeBytes === undefined ? {} : { sizeBytes }) },
      content(),
    );
  });
}

/** Links to the sections, since a long report would hide those below it. */
function jumpTo(shown: readonly { title: string }[]): Html {
  return html`<nav class="jump-to" aria-label="On this page">${shown.map(({ title }) => html`<a href="#${panelHeading(title)}">${title}</a>`)}</nav>`;
}

/** The check and page that a report's address asks for; undefined for the whole report, or an invalid query. */
function placeOf({ section, check, after }: Record<string, unknown>): ReportPlace | undefined {
  const part = PARTS.find((one) => one === section);
  if (!part || typeof check !== 'string' || !Object.hasOwn(CHECKS, check)) return undefined;
  const from = typeof after === 'string' && /^\d{1,6}$/.test(after) ? Number(after) : 0;
  return { section: part, check: check as CheckName, after: from };
}

function noReport(): ConsoleError {
  return new ConsoleError(404, 'There is no such report: the last 400 nights are kept.');
}

function noFile(): ConsoleError {
  return new ConsoleError(
    404,
    'There is no such file here: it lies in the data folder of the host that made the report.',
  );
}

/** `POST /nightly/rules` makes a rule in the person's name, `POST /nightly/rules/:id/remove` removes one. */
function addRuleActions(app: ConsoleApp, { add, remove }: Pick<RuleFunctions, 'add' | 'remove'>): void {
  addAction(app, {
    url: '/nightly/rules',
    action: 'add rule',
    // Without the field `words`, which may hold anybody's text.
    says: ['cause', 'step', 'status', 'portfolio', 'nights'],
    handle: async ({ fields, actor, reply, tell }) => {
      try {
        tell({ rule: await add(fields, actor.name) });
      } catch (error) {
        if (!(error instanceof LimitlineError)) throw error;
        tell({ refused: true });
        throw new ConsoleError(422, `No rule was made. ${error.message}`, { cause: error });
      }
      return reply.redirect('/nightly?rule=added#sent-again-at-night-title', 303);
    },
  });
  addAction(app, {
    url: '/nightly/rules/:id/remove',
    action: 'remove rule',
    handle: async ({ params: { id = '' }, reply }) => {
      if (!(await remove(id))) throw new ConsoleError(404, 'There is no such rule, or not any more.');
      return reply.redirect('/nightly?rule=removed#sent-again-at-night-title', 303);
    },
  });
}

/** `POST /nightly/run/:task`: asks for a run of a task now; the page behind it says when the run begins. */
function addScheduleAction(app: ConsoleApp, { run }: NightlyParts['schedule']): void {
  addAction(app, {
    url: '/nightly/run/:task',
    action: 'run nightly',
    handle: async ({ params, actor, reply }) => {
      const task = TASKS.find((name) => name === params.task);
      if (!task) throw new ConsoleError(404, `There is no task "${params.task}"; there are ${TASKS.join(', ')}.`);
      await run(task, actor.name);
      return reply.redirect(`/nightly?asked=${task}`, 303);
    },
  });
}

const UP = { href: nightlyAddress(), words: 'Nightly' };

/** The page of one report. */
export function reportPage(shown: ShownReport, rights: Rights): Html {
  const { report } = shown;
  const title = `Report of ${nightTitle(report)}`;
  return html`${pageHead({ title, trail: [UP], actions: fileButtons(report, rights) })}
    ${panel({ title: 'What was found', body: html`${reportHead(report)}${reportSections(shown, 'page')}` })}`;
}

/** A page of the findings of one check in a report. */
export function groupPage(
  id: string,
  { section, check, after }: ReportPlace,
  { atMs, group, next }: { atMs: number; group: ShownGroup; next?: number },
): Html {
  const of = { section, check };
  const until = after + group.shown.length;
  return html`${pageHead({
    title: CHECKS[check].title,
    trail: [UP, { href: reportAddress(id), words: `Report of ${nightTitle({ atMs })}` }],
    lead: SECTION_WORDS[section].title,
  })}
  ${panel({ title: 'Findings', body: html`<p class="check">${groupTitle(group)}</p><ul class="findings">${group.shown.map((finding) => findingView(finding, 'page'))}</ul>` })}
  ${pager({
    words: `${grouped(after + 1)} to ${grouped(until)} of ${grouped(group.findings)}`,
    first: after === 0 ? undefined : reportAddress(id, of),
    next: next === undefined ? undefined : reportAddress(id, { ...of, after: next }),
  })}`;
}
