import { z } from 'zod';
import { type HeldRow, heldName, heldRowOf } from '../../../ledger/rows/story.ts';
import { isPortfolioName, type RowId, rowIdOf } from '../../../ledger/schema/schema.ts';
import type { HeldPlan, HeldPlanConfirmed } from '../../../ledger/story/held-plan.ts';
import type { HeldItem, HeldPage, HeldSummary } from '../../../ledger/story/row-story.ts';
import { sharedFor } from '../../../once-at-a-time.ts';
import { type About, OPERATOR } from '../../access/access.ts';
import { formFieldsOf } from '../../actions/add-action.ts';
import { type Acting, ConsoleError } from '../../console-app.ts';
import { t } from '../../html/html.ts';
import { approvalAddress, portfolioOfParams, rowAddress } from '../addresses.ts';
import { sendDownload } from '../downloads/send-download.ts';
import { formFileOf, type Posted, page, type Visit } from '../page.ts';
import { didWord, heldAddress, heldNow, letterPage, renderHeldPage, summaryPart } from './held-page.ts';
import { planPage } from './plan-page.ts';

export type HeldPageFunctions = {
  /** Held rows of a portfolio or of the account, the oldest first; undefined where there is no such portfolio. */
  page: (
    portfolio: string | undefined,
    range: { after?: HeldRow | undefined; only?: RowId | undefined },
  ) => Promise<HeldPage | undefined>;
  summary: (portfolio: string | undefined) => Promise<HeldSummary | undefined>;
  /** One page of held rows: those after the row `after`, or the first ones. */
  behind: (portfolio: string | undefined, after: HeldRow | undefined) => Promise<HeldRow[]>;
  /** All held rows, up to the number that one plan may answer. */
  rows: (portfolio: string | undefined) => Promise<HeldRow[]>;
  items: (rows: readonly RowId[]) => Promise<HeldItem[]>;
  /** A letter about these rows, for a person to send to the service's staff; `others` is the number of held rows left out of it. */
  letter: (items: readonly HeldItem[], others: number) => string;
  /** Plans what an answers file would do. @throws LimitlineError where the file cannot be read, or is too large */
  plan: (portfolio: string, file: { fileName: string; content: Buffer }, by: string) => Promise<HeldPlan>;
  /** Plans what answers from a page would do; each problem names its answer by the index in `answers`. */
  planAnswers: (answers: readonly Answer[], said: { back: string; by: string }) => Promise<HeldPlan>;
  /** The portfolios that a kept plan is about; none for a plan that is gone. */
  portfoliosOf: (id: string) => Promise<string[]>;
  /** Carries the plan out. If the same answers would lead to another plan by now, does nothing and answers that plan. */
  confirm: (id: string, portfolio: string | undefined, by: string) => Promise<HeldPlanConfirmed>;
};

type Answer = HeldRow & { made: string | undefined };

const MOST_IN_LETTER = 1_000;
/** The largest answers file. A line has some 60 bytes, so 5 MB answer more rows than an account ever holds. */
const FILE_LIMIT_BYTES = 5_000_000;

/** The highest age of the held rows, and of their sums, that events send to open pages. */
const FRESH_MS = 2_000;

/** The time limit of a request with answers: long, since each typed id is looked up among all ids that the account knows. */
const LIMIT_MS = 120_000;

/** The query of a page of held rows. A cursor that cannot be read means the first page. */
const DESK_QUERY = z.object({
  after: z.string().transform(heldRowOf).optional().catch(undefined),
  did: z.string().optional().catch(undefined),
});

/** `/held` and `/portfolios/:name/held`: calls whose outcome nobody knows, and the answers that people give about them. */
export const heldDeskPage = page<HeldPageFunctions>(
  { at: 'held', entry: { at: 'held', href: '/held', words: t`Held` } },
  ({ get, post, events }) => [
    ...['/held', '/portfolios/:name/held'].flatMap((path) => [
      get(path, {
        may: OPERATOR,
        query: DESK_QUERY,
        show: async ({ params, query: { after, did }, reply, given }) => {
          const portfolio = deskOf(params);
          const page = await pageOr404(portfolio, { after }, given);
          return heldParts({ page, portfolio, after: after && heldName(after), did, csrf: reply.csrf() });
        },
      }),
      get(`${path}/text`, {
        may: OPERATOR,
        show: async ({ request, reply, params, given }) => {
          const portfolio = deskOf(params);
          await pageOr404(portfolio, {}, given);
          const { letter, items } = await letterOf(await given.rows(portfolio), given);
          const file = { fileName: 'held.txt', type: 'text/plain; charset=utf-8', what: 'held calls downloaded' };
          const about = portfolio === undefined ? {} : { about: portfolio };
          const facts = { rows: items };
          return sendDownload({ request, reply }, { ...file, ...about, facts }, `${letter}\n`);
        },
      }),
      events(`${path}/events`, {
        may: OPERATOR,
        key: ({ name = '' }, { after }) => `${name}\n${typeof after === 'string' ? after : ''}`,
        frames: (given) => {
          // All open pages share one read of the sum and of the rows within FRESH_MS, since the list of held rows may be long.
          const summaries = sharedFor(FRESH_MS, (name) => given.summary(name || undefined));
          const pages = sharedFor(FRESH_MS, (key) => {
            const [name, after = ''] = key.split('\n');
            return given.behind(name || undefined, heldRowOf(after));
          });
          return async (key) => {
            const [summary, rows] = await Promise.all([summaries(key.split('\n')[0]), pages(key)]);
            if (!summary) return [];
            return [
              { id: 'held-sum', html: summaryPart(summary) },
              { id: 'held-now', html: heldNow(rows) },
            ];
          };
        },
      }),
    ]),
    // The answers of a page or of a file are planned by one request, which changes nothing; a second request confirms the plan.
    get('/held/plan', { may: OPERATOR, show: ({ reply }) => reply.redirect('/held', 303) }),
    post('/held/plan', {
      may: OPERATOR,
      action: 'resolve',
      audited: false,
      limitMs: LIMIT_MS,
      bodyLimit: FILE_LIMIT_BYTES,
      form: { parse: readAnswers },
      handle: planAnswers,
    }),
    post('/portfolios/:name/held/file', {
      may: OPERATOR,
      action: 'resolve',
      audited: false,
      multipart: {},
      bodyLimit: FILE_LIMIT_BYTES + 100_000,
      limitMs: LIMIT_MS,
      handle: async ({ request, params, reply, actor, given }) => {
        const portfolio = portfolioOfParams(params);
        const file = await formFileOf(request, FILE_LIMIT_BYTES);
        if (file === 'none') throw noFile();
        if (file === 'too large') throw tooLarge();
        const { fileName, content } = file;
        return planParts(reply, await given.plan(portfolio, { fileName, content }, actor.name));
      },
    }),
    ...['/held/confirm', '/portfolios/:name/held/confirm'].map((path) =>
      post(path, {
        may: OPERATOR,
        action: 'resolve',
        says: ['plan'],
        limitMs: LIMIT_MS,
        about: aboutPlan,
        handle: confirmPlan,
      }),
    ),
  ],
);

/**
 * The fields of the form of held rows. A field's name says since when its row is held ({@link heldName}), so that an answer is not taken for
 * a row that was sent again and held once more since.
 */
function readAnswers(input: unknown) {
  const fields = input as Readonly<Record<string, string>>;
  const { letter, resend, all, back = '', desk = '', after = '' } = fields;
  const rowsOf = (prefix: string) =>
    Object.entries(fields).flatMap(([name, value]) => {
      const held = name.startsWith(prefix) ? heldRowOf(name.slice(prefix.length)) : undefined;
      return held && value.trim() !== '' ? [{ ...held, made: value.trim() }] : [];
    });
  const portfolio = isPortfolioName(desk) ? desk : undefined;
  const picked = rowsOf('pick-').map(({ row, atMs }) => ({ row, atMs, made: undefined }));
  return { letter, resend, all, back, portfolio, after, made: rowsOf('made-'), picked };
}

async function planAnswers({ fields, actor, reply, given }: Posted<HeldPageFunctions, ReturnType<typeof readAnswers>>) {
  const { letter, resend, all, back, portfolio, after, made } = fields;
  const answered = new Set(made.map(heldName));
  const further = async () => (await given.rows(portfolio)).filter((held) => !answered.has(heldName(held)));
  const picked: Answer[] = all ? (await further()).map((held) => ({ ...held, made: undefined })) : fields.picked;
  if (letter) {
    const rows = picked.length > 0 ? picked : await given.rows(portfolio);
    return letterPage((await letterOf(rows, given)).letter, portfolio);
  }
  const answers: Answer[] = [...made, ...(resend ? picked : [])];
  const isMixed = !resend && made.length > 0 && picked.length > 0;
  const plan = answers.length > 0 && !isMixed ? await given.planAnswers(answers, { back, by: actor.name }) : undefined;
  if (plan && plan.problems.length === 0) return planParts(reply, plan);
  // The answers have faults. The page is shown again with what was typed, and each fault stands beside its row.
  const only = back === 'row' ? (answers[0] ?? fields.picked[0])?.row : undefined;
  const page = await pageOr404(portfolio, { after: heldRowOf(after), only }, given);
  const faults = new Map(plan?.problems.map(({ at, message }) => [nameAt(answers, at), message]));
  const typed = new Map(made.map((one) => [heldName(one), one.made]));
  const kept = { faults, typed, picked: new Set(fields.picked.map(heldName)), back, isMixed };
  return heldParts({ page, portfolio, after: after || undefined, kept, csrf: reply.code(422).csrf() });
}

const nameAt = (answers: readonly HeldRow[], at: number): string => (answers[at] ? heldName(answers[at]) : '');

/** The letter about the first MOST_IN_LETTER of these rows, and the number of rows in it (`items`). */
async function letterOf(rows: readonly HeldRow[], { items, letter }: HeldPageFunctions) {
  const found = await items(rows.slice(0, MOST_IN_LETTER).map(({ row }) => row));
  return { letter: letter(found, Math.max(0, rows.length - MOST_IN_LETTER)), items: found.length };
}

function heldParts(shown: Parameters<typeof renderHeldPage>[0]) {
  const { portfolio, after } = shown;
  const query = after === undefined ? '' : `?${new URLSearchParams({ after })}`;
  return {
    title: portfolio === undefined ? t`Held` : t`Held (${portfolio})`,
    body: renderHeldPage(shown),
    events: `${heldAddress(portfolio)}/events${query}`,
  };
}

/** The portfolios of a plan. The audit trail's entry names all of them, so that a search for each finds the entry. */
async function aboutPlan({ request, params, given }: Visit<HeldPageFunctions>): Promise<About> {
  if (params.name !== undefined) return {};
  const plan = formFieldsOf(request.body).plan ?? '';
  const portfolios = (await given.portfoliosOf(plan)).join(', ');
  return portfolios === '' ? {} : { named: portfolios, facts: { portfolios } };
}

async function confirmPlan({ params, fields, actor, reply, tell, given }: Posted<HeldPageFunctions>) {
  const confirmed = await given.confirm(fields.plan ?? '', deskOf(params), actor.name);
  tell({ became: confirmed.is, ...(confirmed.is === 'done' ? factsOf(confirmed) : {}) });
  switch (confirmed.is) {
    case 'done':
      return reply.redirect(behind(confirmed), 303);
    case 'changed':
      return planParts(reply.code(409), confirmed.plan, true);
    case 'unknown':
      throw new ConsoleError(
        409,
        t`This plan was carried out already, or is too old. Say again what became of the calls, to see what would follow now.`,
      );
  }
}

function planParts(reply: Acting['reply'], plan: HeldPlan, changed = false) {
  return { title: t`Held: plan`, body: planPage({ plan, changed, csrf: reply.csrf() }) };
}

type Done = Extract<HeldPlanConfirmed, { is: 'done' }>;

/** The facts that the audit trail records of answers: one answer from a page in full, several as counts. */
function factsOf({ plan, resolution: { calls, rows, waits } }: Done): Record<string, unknown> {
  const { fileName, sha256, of } = plan;
  const [one, ...others] = of;
  const single = fileName === undefined && others.length === 0 && one;
  const portfolios = [...new Set(of.map(({ row }) => rowIdOf(row)?.portfolio))].join(', ');
  const made = of.filter((answer) => answer.made !== undefined).length;
  const said = single
    ? { row: single.row, made: single.made ?? t`no: sent again` }
    : { portfolios, file: fileName, sha256, made, resend: of.length - made };
  return {
    ...said,
    calls,
    rows,
    ...(waits.length > 0 ? { waits: waits.map(({ approval }) => approval).join(' ') } : {}),
  };
}

/** The page to which a confirmed plan leads. */
function behind({ plan, resolution: { calls, waits } }: Done): string {
  const [asked, ...others] = waits;
  if (asked) return others.length > 0 ? '/approvals' : approvalAddress(asked.approval);
  const [one] = plan.of;
  const row = rowIdOf(one?.row ?? '');
  const isPaused = calls > 0 && plan.paused.length > 0;
  if (plan.back !== 'row' || !one || !row) {
    const desk = plan.portfolio ?? (plan.back === 'portfolio' ? row?.portfolio : undefined);
    return `${heldAddress(desk)}${didWord(`answered-${calls}`, isPaused)}`;
  }
  const did = calls === 0 ? 'nothing' : one.made === undefined ? 'resent' : 'made';
  return `${rowAddress(row)}${didWord(did, isPaused)}`;
}

function noFile(): ConsoleError {
  return new ConsoleError(422, t`Choose a file: a CSV with the columns line (or row) and id.`);
}

function tooLarge(): ConsoleError {
  return new ConsoleError(413, t`The file is larger than 5 MB, which no list of held rows is. Nothing was kept of it.`);
}

async function pageOr404(
  portfolio: string | undefined,
  range: Parameters<HeldPageFunctions['page']>[1],
  given: HeldPageFunctions,
): Promise<HeldPage> {
  const page = await given.page(portfolio, range);
  if (!page) throw new ConsoleError(404, t`There is no portfolio "${portfolio}" in this account.`);
  return page;
}

/** The portfolio whose held rows an address shows; undefined for those of the whole account. */
function deskOf(params: Readonly<Record<string, string>>): string | undefined {
  return params.name === undefined ? undefined : portfolioOfParams(params);
}
