import type { FastifyReply } from 'fastify';
import type { Approval, ApprovalPolicy } from '../../../ledger/schema/approval.ts';
import type { DraftDesk, LineEdit, PreviewState } from '../../../portfolio/draft-desk.ts';
import { lastVersion, type PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import type { Preview } from '../../../portfolio/preview.ts';
import { readingWords } from '../../../portfolio/read-options.ts';
import { type About, FINANCE } from '../../access/access.ts';
import { ConsoleError } from '../../console-app.ts';
import { type Html, html, t } from '../../html/html.ts';
import type { PageParts } from '../../layout/layout.ts';
import type { Kinds, Posted, Visit } from '../page.ts';
import { conflictView, reasonList } from './mend-grid.ts';
import { type RefusedForm, readReading, saysOtherwise } from './read-reading.ts';

/** The largest form of edited lines: a page has some hundred cells, each of which may be long. */
const GRID_LIMIT_BYTES = 4 * 1_024 * 1_024;

/** The time limit of a new version and of an import: each copies the whole file, which may be large. */
export const COPY_LIMIT_MS = 120_000;

/** The time limit of a line's check: long, since each check of a workbook reads its shared strings. */
const CHECK_LIMIT_MS = 30_000;

export type NewPageFunctions = DraftDesk & {
  portfolioNames(): Promise<string[]>;
  /** The currencies that the files of a portfolio name, '' for files that name none, and the sum of its rows that were not cancelled. */
  whatIsThere(portfolio: string): Promise<{ currencies: readonly string[]; sum: string }>;
  /** Which requests need the approval of another person, by the current settings. */
  approvalPolicy(): Promise<ApprovalPolicy>;
  /** The first of `people` whose requests of the last days, with `sum` added, exceed the limit for one person. */
  personOver(people: readonly string[], sum: string, policy: ApprovalPolicy): Promise<Approval['over']>;
  /** The most megabytes of an upload, all of its files together. */
  maxUploadMb: number;
};

type Changing = Posted<NewPageFunctions>;

/**
 * The actions that change an upload.
 *
 * @param showAgain the page of the upload with its form as it was typed
 */
export function draftActions(
  { post }: Kinds<NewPageFunctions>,
  showAgain: (changing: Changing, refused: RefusedForm) => Promise<PageParts | FastifyReply>,
) {
  /** Answers a form that `change` refuses (422) by the upload's page with that form as it was typed, so that nothing is typed twice. */
  const orAgain = (change: (changing: Changing) => Promise<FastifyReply>) => (changing: Changing) =>
    change(changing).catch((error: unknown) => {
      if (!(error instanceof ConsoleError) || error.statusCode !== 422) throw error;
      changing.reply.code(422);
      return showAgain(changing, { message: error.message, typed: changing.fields });
    });
  return [
    post('/new/:id/reading', {
      may: FINANCE,
      action: 'reading',
      about: aboutDraft,
      handle: orAgain(async ({ reply, actor, params: { id = '' }, fields, tell, given }) => {
        const draft = await draftAsShown(id, fields, given);
        const correction =
          fields.forget === 'yes'
            ? { forgetKept: true }
            : fields.offered === 'yes'
              ? { takeOffered: true }
              : { reading: readReading(fields, draft, await previewOf(draft, given)), ...nameIn(fields, draft) };
        tell(versionOf(await given.correct(id, correction, actor.name)));
        return reply.redirect(`/new/${id}`, 303);
      }),
    }),
    post('/new/:id/again', {
      may: FINANCE,
      action: 'reading',
      audited: false,
      handle: async ({ reply, params: { id = '' }, given }) => {
        await given.previewAgain(await given.read(id));
        return reply.redirect(`/new/${id}`, 303);
      },
    }),
    post('/new/:id/portfolio', {
      may: FINANCE,
      action: 'reading',
      says: ['portfolio'],
      about: aboutDraft,
      handle: orAgain(async ({ reply, actor, params: { id = '' }, fields, tell, given }) => {
        const draft = await draftAsShown(id, fields, given);
        const preview = await previewOf(draft, given);
        const isReadOtherwise = saysOtherwise({ ...fields, portfolio: draft.portfolio }, draft, preview);
        const reading = isReadOtherwise ? { reading: readReading(fields, draft, preview) } : {};
        tell(versionOf(await given.correct(id, { ...reading, ...nameIn(fields, draft) }, actor.name)));
        return reply.redirect(`/new/${id}#submit-title`, 303);
      }),
    }),
    post('/new/:id/check', {
      may: FINANCE,
      action: 'mend',
      audited: false,
      bodyLimit: GRID_LIMIT_BYTES,
      limitMs: CHECK_LIMIT_MS,
      handle: async ({ reply, params: { id = '' }, fields, given }) => {
        const draft = await given.read(id);
        const [edit] = readEdits(fields);
        if (!edit || !('cells' in edit)) throw new ConsoleError(422, t`The page is out of date: load it again.`);
        if (fields.version !== undefined && Number(fields.version) !== lastVersion(draft).number) {
          return reply.fragment(notChecked(t`Another version was saved meanwhile: load the page again.`));
        }
        const state = await given.preview(draft);
        if (state.is !== 'there')
          return reply.fragment(notChecked(t`The file is being read again: load the page again.`));
        return reply.fragment(reasonList(await given.check(draft, edit)));
      },
    }),
    post('/new/:id/mend', {
      may: FINANCE,
      action: 'mend',
      about: aboutDraft,
      bodyLimit: GRID_LIMIT_BYTES,
      limitMs: COPY_LIMIT_MS,
      handle: async ({ reply, actor, params: { id = '' }, fields, tell, given }) => {
        const { of, version } = fields;
        const change = { version: Number(version), of, edits: readEdits(fields), column: columnEdit(fields) };
        const answer = await given.mend(id, change, actor.name);
        tell('conflict' in answer ? { became: 'conflict' } : versionOf(answer.draft));
        if ('conflict' in answer) {
          reply.code(409);
          return { title: t`Another version was saved`, body: conflictView(id, answer.conflict, change) };
        }
        if (fields.same !== undefined)
          await saySameBuyer(answer.draft, { line: Number(fields.same), by: actor.name }, given);
        const list = fields.list === 'warnings' ? 'warnings' : 'problems';
        // The redirect names no page of the list, but its first one: corrected lines leave the list, so the same page would show
        // other lines.
        const column = fields.column === undefined ? '' : `&column=${encodeURIComponent(fields.column)}`;
        return reply.redirect(`/new/${id}?list=${list}${column}#mend`, 303);
      },
    }),
    post('/new/:id/back', {
      may: FINANCE,
      action: 'mend',
      about: aboutDraft,
      limitMs: COPY_LIMIT_MS,
      says: ['to'],
      handle: async ({ reply, actor, params: { id = '' }, fields, tell, given }) => {
        const change = { version: Number(fields.version), to: Number(fields.to) };
        const answer = await given.goBack(id, change, actor.name);
        tell('conflict' in answer ? { became: 'conflict' } : versionOf(answer.draft));
        if ('draft' in answer) return reply.redirect(`/new/${id}`, 303);
        reply.code(409);
        return { title: t`Another version was saved`, body: conflictView(id, answer.conflict) };
      },
    }),
  ];
}

export const CHANGED = t`The file, its reading or its portfolio has changed since this page was loaded: load it again.`;

/** What the audit records of an upload: the exact version of its file, and how it is read. @throws where the upload is gone */
export async function aboutDraft({ params: { id = '' }, given }: Visit<NewPageFunctions>): Promise<About> {
  const draft = await given.read(id);
  return { portfolio: draft.portfolio, facts: { file: draft.name, ...versionOf(draft) } };
}

export async function previewOf(draft: PortfolioDraft, given: NewPageFunctions): Promise<Preview | undefined> {
  const state = await given.preview(draft);
  return state.is === 'there' ? state.preview : undefined;
}

/** @throws ConsoleError where the page showed another file, reading or portfolio: its form would undo what a colleague changed since */
async function draftAsShown(
  id: string,
  { of }: Readonly<Record<string, string>>,
  given: NewPageFunctions,
): Promise<PortfolioDraft> {
  const draft = await given.read(id);
  if (of !== undefined && of !== given.digest(draft)) throw new ConsoleError(409, CHANGED);
  return draft;
}

/** The new name of the portfolio, where the form changes it. */
function nameIn({ portfolio }: Readonly<Record<string, string>>, draft: PortfolioDraft): { portfolio?: string } {
  const name = portfolio?.trim() ?? draft.portfolio;
  return name === draft.portfolio ? {} : { portfolio: name };
}

function versionOf(draft: PortfolioDraft): Record<string, unknown> {
  const { number, sha256, leftOut } = lastVersion(draft);
  const { reading, readBy } = draft;
  return { version: number, sha256, ...(leftOut.length > 0 && { leftOut }), reading: readingWords(reading), readBy };
}

/** The answer for a line whose cells could not be checked: the reason. */
const notChecked = (words: string): Html => html`<p class="problem" data-unchecked>${words}</p>`;

/** Records that a line means the buyer to whom its identifiers belong. It holds for this upload alone. */
async function saySameBuyer(
  { id, reading }: PortfolioDraft,
  { line, by }: { line: number; by: string },
  given: NewPageFunctions,
): Promise<void> {
  if (!Number.isSafeInteger(line) || line < 1) throw new ConsoleError(422, t`The page is out of date: load it again.`);
  const sameBuyer = [...new Set([...(reading.sameBuyer ?? []), line])];
  await given.correct(id, { reading: { ...reading, sameBuyer } }, by);
}

const CELL = /^cell-(\d{1,10})-(\d{1,5})$/;
const TEXT = /^text-(\d{1,10})$/;
const LEFT_OUT = /^leave-(\d{1,10})$/;

/** The edited lines that the form of the table sends. A line has all of its cells in the form, changed or not. */
function readEdits(fields: Readonly<Record<string, string>>): LineEdit[] {
  const cells = new Map<number, Map<number, string>>();
  const edits: LineEdit[] = [];
  const leftOut: LineEdit[] = [];
  for (const [name, text] of Object.entries(fields)) {
    const [, line, at] = CELL.exec(name) ?? [];
    const [, whole] = TEXT.exec(name) ?? [];
    if (whole !== undefined) edits.push({ line: Number(whole), text });
    const [, out] = LEFT_OUT.exec(name) ?? [];
    if (out !== undefined) leftOut.push({ line: Number(out), isLeftOut: true });
    if (line === undefined) continue;
    const ofLine = cells.get(Number(line)) ?? new Map<number, string>();
    cells.set(Number(line), ofLine.set(Number(at), text));
  }
  for (const [line, ofLine] of cells) edits.push({ line, cells: ofLine });
  const out = new Set(leftOut.map(({ line }) => line));
  return [...edits.filter(({ line }) => !out.has(line)), ...leftOut];
}

/** The correction of a whole column, which the form has if its button “Replace in all” was pressed. */
function columnEdit({ everywhere, column, list, from = '', to = '' }: Readonly<Record<string, string>>) {
  if (everywhere === undefined || column === undefined) return undefined;
  return { list: list === 'warnings' ? ('warnings' as const) : ('problems' as const), column, from, to };
}

/** How long a page waits for a preview. */
const PATIENCE_MS = 1_200;

/**
 * The age from which a preview is made again. Other portfolios go on meanwhile, so a request that was new may be under way or made by now.
 */
const FRESH_MS = 5_000;

/**
 * The most lines of a file whose old preview is made again by itself. For a longer file somebody must press “Refresh”, since
 * reading it takes longer than a page may.
 */
const MOST_LINES_AGAIN = 5_000;

/** An upload's preview, read again if it is too old. If reading takes longer than a page waits, the answer says how far it is. */
export async function settledPreview(
  draft: PortfolioDraft,
  given: Pick<NewPageFunctions, 'preview' | 'previewAgain'>,
): Promise<PreviewState> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const state = await given.preview(draft);
    const isOld = state.is === 'there' && Date.now() - state.preview.madeMs > FRESH_MS;
    if (isOld && state.preview.counts.lines <= MOST_LINES_AGAIN) await given.previewAgain(draft);
    else if (state.is !== 'under way' || Date.now() > until) return state;
    await new Promise((done) => setTimeout(done, 40));
  }
}
