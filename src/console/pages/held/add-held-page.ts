import { z } from 'zod';
import type { AskedFor } from '../../../ledger/approvals/approval-look.ts';
import type { HeldRow } from '../../../ledger/rows/story.ts';
import { isPortfolioName, rowIdOf } from '../../../ledger/schema/schema.ts';
import type { HeldItem, HeldPage } from '../../../ledger/story/row-story.ts';
import { OPERATOR } from '../../access/rules.ts';
import type { Acting } from '../../console-app.ts';
import { ConsoleError } from '../../console-app.ts';
import { approvalAddress, rowAddress, rowOfParams } from '../addresses.ts';
import { sendDownload } from '../downloads/send-download.ts';
import { digits, type Posted, page } from '../page.ts';
import { didWord, heldAddress, renderHeldPage } from './held-page.ts';
import { planPage, type ShownPlan } from './plan-page.ts';

export type HeldPageFunctions = {
  /** Held rows of a portfolio or of the account, the oldest first; undefined where there is no such portfolio. */
  page: (range: HeldRange) => Promise<HeldPage | undefined>;
  /** A message about these rows, for a person to send to the service's staff. */
  text: (items: readonly HeldItem[]) => string;
  /** Plans what an answers file would do. @throws LimitlineError where the file cannot be read, or is too large */
  plan: (portfolio: string, file: { fileName: string; content: Buffer }, by: string) => Promise<ShownPlan>;
  /** Plans what an answer about one row would do. @throws LimitlineError for an answer that cannot be right */
  planRow: (
    portfolio: string,
    said: { row: string; made: string | undefined; heldMs: number | undefined; back: string },
    by: string,
  ) => Promise<ShownPlan>;
  /** Carries the plan out, unless the same answers would lead to another plan by now. */
  confirm: (
    id: string,
    portfolio: string,
    by: string,
  ) => Promise<
    | { is: 'done'; resolution: { calls: number; rows: number; waits?: AskedFor }; plan: ShownPlan }
    | { is: 'changed'; plan: ShownPlan }
    | { is: 'unknown' }
  >;
};

export type HeldRange = { portfolio: string | undefined; after: HeldRow | undefined; count: number };

/** Held rows on one page: as many as a person reads through. The message to the service's staff lists up to MOST_IN_TEXT. */
const PAGE = 25;
const MOST_IN_TEXT = 1_000;

/** The largest answers file. A line has some 60 bytes, so 5 MB answer more rows than an account ever holds. */
const FILE_LIMIT_BYTES = 5_000_000;

/** The time limit of an answer: long, since each id that a person gives is searched for among all that the account knows. */
const LIMIT_MS = 120_000;

/** The query of a page of held rows. A cursor that cannot be read means the first page. */
const DESK_QUERY = z.object({
  after: z.string().transform(placeOf).optional().catch(undefined),
  did: z.string().optional().catch(undefined),
});

/** `/held` and `/portfolios/:name/held`: calls whose outcome nobody knows, and the answers that people give about them. */
export const heldDeskPage = page<HeldPageFunctions>(
  { at: 'held', entry: { at: 'held', href: '/held', words: 'Held' } },
  ({ get, post }) => [
    // All held calls with their bodies, for people who ask the service's staff about them; and the answers that these people bring back.
    ...['/held', '/portfolios/:name/held'].flatMap((path) => [
      get(path, {
        may: OPERATOR,
        query: DESK_QUERY,
        show: async ({ params, query: { after, did }, reply, given }) => {
          const portfolio = deskOf(params);
          const page = await pageOr404({ portfolio, after, count: PAGE }, given);
          const shown = { page, portfolio, isFirst: !after, did, textOf: given.text, csrf: reply.csrf() };
          return { title: portfolio === undefined ? 'Held' : `Held (${portfolio})`, body: renderHeldPage(shown) };
        },
      }),
      get(`${path}/text`, {
        may: OPERATOR,
        show: async ({ request, reply, params, given }) => {
          const portfolio = deskOf(params);
          const page = await pageOr404({ portfolio, after: undefined, count: MOST_IN_TEXT }, given);
          const file = { fileName: 'held.txt', type: 'text/plain; charset=utf-8', what: 'held calls downloaded' };
          const about = portfolio === undefined ? {} : { about: portfolio };
          const facts = { rows: page.items.length };
          return sendDownload({ request, reply }, { ...file, ...about, facts }, `${given.text(page.items)}\n`);
        },
      }),
    ]),
    // One request plans the answers of a file or of a form; a second request confirms the plan.
    post('/portfolios/:name/held/file', {
      may: OPERATOR,
      action: 'resolve',
      // Planning changes nothing, so only the confirmation is audited.
      audited: false,
      multipart: {},
      bodyLimit: FILE_LIMIT_BYTES + 100_000,
      limitMs: LIMIT_MS,
      handle: async ({ request, params, reply, actor, given }) => {
        const portfolio = nameOf(params);
        const limits = { fileSize: FILE_LIMIT_BYTES, files: 1, fields: 5 };
        const file = await request.file({ limits, throwFileSizeLimit: false });
        // The body is read to its end even without a file; otherwise the browser sees a broken connection, not the answer.
        const content = await file?.toBuffer();
        if (!file || !content || file.filename === '') throw noFile();
        if (file.file.truncated) throw tooLarge();
        return planParts(reply, await given.plan(portfolio, { fileName: file.filename, content }, actor.name));
      },
    }),
    post('/portfolios/:name/rows/:key/resolve', {
      may: OPERATOR,
      action: 'resolve',
      audited: false,
      limitMs: LIMIT_MS,
      form: RESOLVE_FORM,
      handle: async ({ params, fields: { resend, made, heldMs, back }, actor, reply, given }) => {
        const row = rowOfParams(params);
        if (!row) throw new ConsoleError(404, 'No row can have this name.');
        if (!resend === (made === undefined || made === '')) throw noAnswer();
        const said = { row: row.key, made: resend ? undefined : made, heldMs, back };
        return planParts(reply, await given.planRow(row.portfolio, said, actor.name));
      },
    }),
    post('/portfolios/:name/held/confirm', {
      may: OPERATOR,
      action: 'resolve',
      says: ['plan'],
      limitMs: LIMIT_MS,
      handle: confirmPlan,
    }),
  ],
);

/** An answer about one row. `held` is when the hold that the person saw began: since then the row may be held anew. */
const RESOLVE_FORM = z
  .object({
    resend: z.string().optional(),
    made: z.string().trim().optional(),
    held: digits(15, Number.NaN),
    back: z.string().default(''),
  })
  .transform(({ resend, held, ...more }) => ({
    ...more,
    resend: resend === 'yes',
    heldMs: Number.isNaN(held) ? undefined : held,
  }));

async function confirmPlan({ params, fields, actor, reply, tell, given }: Posted<HeldPageFunctions>) {
  const portfolio = nameOf(params);
  const confirmed = await given.confirm(fields.plan ?? '', portfolio, actor.name);
  tell({
    became: confirmed.is,
    ...(confirmed.is === 'done' ? { ...saidOf(confirmed.plan), ...confirmed.resolution } : {}),
  });
  switch (confirmed.is) {
    case 'done':
      return reply.redirect(behind(confirmed), 303);
    case 'changed':
      return planParts(reply.code(409), confirmed.plan, true);
    case 'unknown':
      throw new ConsoleError(
        409,
        'This plan was carried out already, or is too old. Say again what became of the calls, to see what would follow now.',
      );
  }
}

function planParts(reply: Acting['reply'], plan: ShownPlan, changed = false) {
  const body = planPage({ plan, changed, csrf: reply.csrf() });
  return { title: `Held (${plan.portfolio}): plan`, body };
}

/** What the audit records of an answer about one row; the answers of a file are recorded as counts. */
function saidOf({ back, of: [one] }: ShownPlan): Record<string, string> {
  return back === undefined || !one ? {} : { row: one.row, made: one.made ?? 'no: sent again' };
}

/** The page to which a confirmed plan leads. */
function behind({ plan, resolution }: { plan: ShownPlan; resolution: { calls: number; waits?: AskedFor } }): string {
  if (resolution.waits) return approvalAddress(resolution.waits.approval);
  const [one] = plan.of;
  const row = rowIdOf(one?.row ?? '');
  if (plan.back === undefined || !one || !row)
    return `${heldAddress(plan.portfolio)}${didWord(`file-${resolution.calls}`, plan.isPaused)}`;
  const did = resolution.calls === 0 ? 'nothing' : one.made === undefined ? 'resent' : 'made';
  const desk = heldAddress(plan.back === 'account' ? undefined : plan.portfolio);
  return `${plan.back === 'row' ? rowAddress(row) : desk}${didWord(did, plan.isPaused && resolution.calls > 0)}`;
}

function noAnswer(): ConsoleError {
  const words = 'Say what became of it: give the id under which it was made, or say that it was not made.';
  return new ConsoleError(422, words);
}

function noFile(): ConsoleError {
  return new ConsoleError(422, 'Choose a file: a CSV with the columns line (or row) and id.');
}

function tooLarge(): ConsoleError {
  return new ConsoleError(413, 'The file is larger than 5 MB, which no list of held rows is. Nothing was kept of it.');
}

async function pageOr404(range: HeldRange, given: HeldPageFunctions): Promise<HeldPage> {
  const page = await given.page(range);
  if (!page) throw new ConsoleError(404, `There is no portfolio "${range.portfolio}" in this account.`);
  return page;
}

function nameOf(params: Readonly<Record<string, string>>): string {
  const { name = '' } = params;
  if (!isPortfolioName(name)) throw new ConsoleError(404, 'No portfolio can have this name.');
  return name;
}

/** The portfolio whose held rows an address shows; undefined for those of the whole account. */
function deskOf(params: Readonly<Record<string, string>>): string | undefined {
  return params.name === undefined ? undefined : nameOf(params);
}

/** A cursor as held-page.ts writes it: `<ms>:<portfolio>/<key>`. */
function placeOf(text: string): HeldRow | undefined {
  const [, ms, name = ''] = /^(\d{1,15}):(.*)$/s.exec(text) ?? [];
  const row = rowIdOf(name);
  return row && ms !== undefined ? { row, atMs: Number(ms) } : undefined;
}
