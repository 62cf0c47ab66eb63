import { z } from 'zod';
import { grouped } from '../../../counted.ts';
import { LimitlineError } from '../../../errors.ts';
import { CHECKS, type CheckName, SECTIONS as PARTS } from '../../../ledger/nightly/checks.ts';
import { SECTION_WORDS } from '../../../ledger/nightly/compare-reports.ts';
import { TASKS } from '../../../schedule/schedule.ts';
import { HOUR_MS } from '../../../time-units.ts';
import { LOOKS, OPERATOR, type Rights, SEES_BUYERS } from '../../access/access.ts';
import { ConsoleError } from '../../console-app.ts';
import { type Html, html, t, translated } from '../../html/html.ts';
import { pageHead, pager, panel } from '../../parts/blocks.ts';
import { AUTOMATION, nightlyAddress, reportAddress } from '../addresses.ts';
import { sendDownload } from '../downloads/send-download.ts';
import { digits, page } from '../page.ts';
import { findingView } from './finding-view.ts';
import type { ShownGroup, ShownReport } from './report-view.ts';
import { groupTitle, nightTitle, reportHead, reportSections } from './report-view.ts';
import { fileButtons, NIGHTLY_PAGES, NIGHTLY_QUERY, type NightlyPageFunctions, type ReportPlace } from './sections.ts';

/** The time limit of a report's file: a million items take seconds to read, and longer for a slow client. */
const DOWNLOAD_LIMIT_MS = HOUR_MS;

/**
 * `/nightly` and two more pages: the nightly reports, what Limitline does by itself, and notices. `/nightly/reports/:id`: one
 * report, and its files.
 */
export const nightlyTasksPage = page<NightlyPageFunctions>(
  { at: 'nightly', entry: { at: 'nightly', href: '/nightly', words: t`Nightly` }, ours: ['schedule'] },
  ({ get, post }) => [
    ...NIGHTLY_PAGES.map(({ href, words, lead, sections }) =>
      get(href, {
        may: LOOKS,
        query: NIGHTLY_QUERY,
        show: async ({ reply, query, rights, given }) => {
          const { cause, portfolio = '' } = query;
          // Links of earlier versions led to the form for a rule, which stood on the page of the report.
          if (href === nightlyAddress() && cause !== undefined)
            return reply.redirect(`${AUTOMATION}?${new URLSearchParams({ cause, portfolio })}`, 303);
          const asked = { rights, csrf: reply.csrf(), query };
          const views = await Promise.all(
            sections.map(async ({ view, ...head }) => panel({ ...head, ...(await view(given, asked)) })),
          );
          return {
            title: t`Nightly: ${words}`,
            body: html`${pageHead({ title: t`Nightly`, lead })}${pagesOf(href)}${views}`,
          };
        },
      }),
    ),
    get('/nightly/reports/:id', {
      may: LOOKS,
      query: PLACE,
      show: async ({ params: { id = '' }, query: place, rights, given }) => {
        if (place) {
          const found = await given.report.group(id, place);
          if (!found) throw noReport();
          const title = `${translated(CHECKS[place.check].title)} (${nightTitle(found)})`;
          return { title, body: groupPage(id, place, found) };
        }
        const shown = await given.report.read(id);
        if (!shown) throw noReport();
        return { title: t`Report of ${nightTitle(shown.report)}`, body: reportPage(shown, rights) };
      },
    }),
    get('/nightly/reports/:id/:file', {
      // The files of a report contain buyers' names, as results do.
      may: SEES_BUYERS,
      limitMs: DOWNLOAD_LIMIT_MS,
      show: async ({ request, reply, params: { id = '', file = '' }, given }) => {
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
      },
    }),
    post('/nightly/rules', {
      may: OPERATOR,
      action: 'add rule',
      // The fields that the audit trail records. The field `words` is left out, since it may hold anybody's text.
      says: ['cause', 'step', 'status', 'portfolio', 'nights'],
      handle: async ({ fields, actor, reply, tell, given }) => {
        try {
          tell({ rule: await given.rules.add(fields, actor.name) });
        } catch (error) {
          if (!(error instanceof LimitlineError)) throw error;
          tell({ refused: true });
          throw new ConsoleError(422, t`The rule was not added. ${error.message}`, { cause: error });
        }
        return reply.redirect(`${AUTOMATION}?rule=added#sent-again-at-night-title`, 303);
      },
    }),
    post('/nightly/rules/:id/remove', {
      may: OPERATOR,
      action: 'remove rule',
      handle: async ({ params: { id = '' }, reply, given }) => {
        if (!(await given.rules.remove(id))) throw new ConsoleError(404, t`This rule does not exist any more.`);
        return reply.redirect(`${AUTOMATION}?rule=removed#sent-again-at-night-title`, 303);
      },
    }),
    // Asks for a run of a task now, and leads to the page that says when the run begins.
    post('/nightly/run/:task', {
      may: OPERATOR,
      action: 'run nightly',
      handle: async ({ request, params, actor, reply, given }) => {
        const task = TASKS.find((name) => name === params.task);
        if (!task) throw new ConsoleError(404, t`There is no task "${params.task}"; there are ${TASKS.join(', ')}.`);
        await given.schedule.run(task, { by: actor.name, from: request.ip });
        return reply.redirect(`${AUTOMATION}?asked=${task}`, 303);
      },
    }),
  ],
);

/**
 * The query of a report's page: the section, the check and the first finding to show. Undefined for the whole report, or for an
 * invalid query.
 */
const PLACE = z
  .object({
    section: z.enum(PARTS),
    check: z.string().refine((name): name is CheckName => Object.hasOwn(CHECKS, name)),
    after: digits(6),
  })
  .optional()
  .catch(undefined) satisfies { parse: (query: unknown) => ReportPlace | undefined };

function pagesOf(current: string): Html {
  return html`<nav class="subpages" aria-label="Pages of Nightly">${NIGHTLY_PAGES.map(({ href, words }) => html`<a href="${href}" aria-current="${href === current && 'page'}">${words}</a>`)}</nav>`;
}

function noReport(): ConsoleError {
  return new ConsoleError(404, t`There is no such report: the last 400 nights are kept.`);
}

function noFile(): ConsoleError {
  return new ConsoleError(404, t`There is no such file here: it is on the computer that made the report.`);
}

const UP = { href: nightlyAddress(), words: t`Nightly` };

function reportPage(shown: ShownReport, rights: Rights): Html {
  const { report } = shown;
  const title = t`Report of ${nightTitle(report)}`;
  return html`${pageHead({ title, trail: [UP], actions: fileButtons(report, rights) })}
    ${panel({ title: t`What was found`, body: html`${reportHead(report)}${reportSections(shown, 'page')}` })}`;
}

function groupPage(
  id: string,
  { section, check, after }: ReportPlace,
  { atMs, group, next }: { atMs: number; group: ShownGroup; next?: number },
): Html {
  const of = { section, check };
  const until = after + group.shown.length;
  return html`${pageHead({
    title: translated(CHECKS[check].title),
    trail: [UP, { href: reportAddress(id), words: t`Report of ${nightTitle({ atMs })}` }],
    lead: SECTION_WORDS[section].title,
  })}
  ${panel({ title: t`Findings`, body: html`<p class="check">${groupTitle(group)}</p><ul class="findings">${group.shown.map((finding) => findingView(finding, 'page'))}</ul>` })}
  ${pager({
    words: t`${grouped(after + 1)} to ${grouped(until)} of ${grouped(group.findings)}`,
    first: after === 0 ? undefined : reportAddress(id, of),
    next: next === undefined ? undefined : reportAddress(id, { ...of, after: next }),
  })}`;
}
