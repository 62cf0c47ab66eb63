import multipart from '@fastify/multipart';
import type { AskedFor } from '../../../ledger/approvals/approval-look.ts';
import type { HeldRow } from '../../../ledger/rows/story.ts';
import { isPortfolioName, rowIdOf } from '../../../ledger/schema/schema.ts';
import type { HeldItem, HeldPage } from '../../../ledger/story/row-story.ts';
import { addAction } from '../../actions/add-action.ts';
import type { Acting } from '../../console-app.ts';
import { type ConsoleApp, ConsoleError } from '../../console-app.ts';
import { approvalAddress, rowAddress, rowOfParams } from '../addresses.ts';
import { sendDownload } from '../downloads/send-download.ts';
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

/** As many as a person reads through; the message to the service's staff lists up to MOST_IN_TEXT. */
const PAGE = 25;
const MOST_IN_TEXT = 1_000;

/** A line of an answers file has some 60 bytes, so 5 MB are more rows than an account ever holds. */
const FILE_LIMIT_BYTES = 5_000_000;

/** Long, since each id that a person gives is searched for among all that the account knows. */
const LIMIT_MS = 120_000;

/** `/held` and `/portfolios/:name/held`: calls whose outcome nobody knows, and the answers that people give about them. */
export function addHeldPage(app: ConsoleApp, given: HeldPageFunctions): void {
  const addDesk = (url: string) => {
    app.get(url, async (request, reply) => {
      const { portfolio, after, did } = readAddress(request.params, request.query);
      const page = await pageOr404({ portfolio, after, count: PAGE }, given);
      const body = renderHeldPage({
        page,
        portfolio,
        isFirst: !after,
        did,
        textOf: given.text,
        csrf: reply.csrf(),
      });
      return reply.page({ title: portfolio === undefined ? 'Held' : `Held (${portfolio})`, at: 'held', body });
    });
    app.get(`${url}/text`, async (request, reply) => {
      const { portfolio } = readAddress(request.params, request.query);
      const page = await pageOr404({ portfolio, after: undefined, count: MOST_IN_TEXT }, given);
      const file = { fileName: 'held.txt', type: 'text/plain; charset=utf-8', what: 'held calls downloaded' };
      const about = portfolio === undefined ? {} : { about: portfolio };
      const facts = { rows: page.items.length };
      return sendDownload({ request, reply }, { ...file, ...about, facts }, `${given.text(page.items)}\n`);
    });
  };
  addDesk('/held');
  addDesk('/portfolios/:name/held');
  addPlanActions(app, given);
  addConfirm(app, given);
}

/** One request plans the answers of a file or of a form; a second request confirms the plan. */
function addPlanActions(app: ConsoleApp, given: HeldPageFunctions): void {
  // A plugin scope of its own, since another page may parse multipart bodies differently.
  app.register(async (room) => {
    if (!room.hasContentTypeParser('multipart/form-data')) await room.register(multipart);
    addAction(room, {
      url: '/portfolios/:name/held/file',
      action: 'resolve',
      // Planning changes nothing, so only the confirmation is audited.
      audited: false,
      multipart: true,
      bodyLimit: FILE_LIMIT_BYTES + 100_000,
      limitMs: LIMIT_MS,
      handle: async ({ request, params, reply, actor }) => {
        const portfolio = nameOf(params);
        const limits = { fileSize: FILE_LIMIT_BYTES, files: 1, fields: 5 };
        const file = await request.file({ limits, throwFileSizeLimit: false });
        // The body is read to its end even without a file; otherwise the browser sees a broken connection, not the answer.
        const content = await file?.toBuffer();
        if (!file || !content || file.filename === '') throw noFile();
        if (file.file.truncated) throw tooLarge();
        const plan = await given.plan(portfolio, { fileName: file.filename, content }, actor.name);
        return replyWithPlan(reply, plan);
      },
    });
  });
  addAction(app, {
    url: '/portfolios/:name/rows/:key/resolve',
    action: 'resolve',
    audited: false,
    limitMs: LIMIT_MS,
    handle: async ({ params, fields, actor, reply }) => {
      const row = rowOfParams(params);
      if (!row) throw new ConsoleError(404, 'No row can have this name.');
      const made = fields.made?.trim();
      if ((fields.resend !== 'yes') === (made === undefined || made === '')) throw noAnswer();
      // The hold that the person saw: another person may have answered that one, and the row may be held again.
      const heldMs = /^\d{1,15}$/.test(fields.held ?? '') ? Number(fields.held) : undefined;
      const said = { row: row.key, made: fields.resend === 'yes' ? undefined : made, heldMs, back: fields.back ?? '' };
      const plan = await given.planRow(row.portfolio, said, actor.name);
      return replyWithPlan(reply, plan);
    },
  });
}

function addConfirm(app: ConsoleApp, given: HeldPageFunctions): void {
  addAction(app, {
    url: '/portfolios/:name/held/confirm',
    action: 'resolve',
    says: ['plan'],
    limitMs: LIMIT_MS,
    handle: async ({ params, fields, actor, reply, tell }) => {
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
          return replyWithPlan(reply.code(409), confirmed.plan, true);
        case 'unknown':
          throw new ConsoleError(
            409,
            'This plan was carried out already, or is too old. Say again what became of the calls, to see what would follow now.',
          );
      }
    },
  });
}

function replyWithPlan(reply: Acting['reply'], plan: ShownPlan, changed = false): unknown {
  const body = planPage({ plan, changed, csrf: reply.csrf() });
  return reply.page({ title: `Held (${plan.portfolio}): plan`, at: 'held', body });
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

/** The portfolio, cursor and notice in an address. A cursor that cannot be read means the first page. */
function readAddress(params: unknown, query: unknown) {
  const named = params as Record<string, string>;
  const { after, did } = query as Record<string, unknown>;
  return {
    portfolio: named.name === undefined ? undefined : nameOf(named),
    after: typeof after === 'string' ? placeOf(after) : undefined,
    did: typeof did === 'string' ? did : undefined,
  };
}

/** A cursor as held-page.ts writes it: `<ms>:<portfolio>/<key>`. */
function placeOf(text: string): HeldRow | undefined {
  const [, ms, name = ''] = /^(\d{1,15}):(.*)$/s.exec(text) ?? [];
  const row = rowIdOf(name);
  return row && ms !== undefined ? { row, atMs: Number(ms) } : undefined;
}
