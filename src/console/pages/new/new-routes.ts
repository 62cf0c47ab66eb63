import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { messageOf } from '../../../errors.ts';
import { asksApproval } from '../../../ledger/schema/approval.ts';
import type { IncomingFile, PreviewState } from '../../../portfolio/draft-desk.ts';
import { authorsWith, type PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import { HOUR_MS } from '../../../time-units.ts';
import { FINANCE } from '../../access/access.ts';
import { ConsoleError } from '../../console-app.ts';
import { type Html, html, t } from '../../html/html.ts';
import { pageHead, panel } from '../../parts/blocks.ts';
import { sendDownload } from '../downloads/send-download.ts';
import { digits, type Kinds, type Posted, page, type Visit } from '../page.ts';
import { aboutDraft, draftActions, type NewPageFunctions, settledPreview } from './draft-actions.ts';
import { draftView, uploadView } from './draft-view.ts';
import { endingActions } from './ending-actions.ts';
import type { ShownPlace } from './mend-grid.ts';
import type { RefusedForm } from './read-reading.ts';
import { importProgress, PROGRESS_ID, previewProgress } from './words.ts';

/** The time limit of an upload: enough for a folder of documents over a slow connection. */
const UPLOAD_LIMIT_MS = 2 * HOUR_MS;

/** The seconds after which the browser reloads a page that waits for the reading or the import, where events and scripts do not work. */
const REFRESH_S = 5;

/** `/new`: uploads a portfolio's file, previews its requests, mends its lines, and submits it. All of finance share the uploads. */
export const newPortfolioPage = page<NewPageFunctions>(
  { at: 'new', entry: { at: 'new', href: '/new', words: t`New` }, asItIs: true, close: (given) => given.close() },
  (kinds) => [
    ...readRoutes(kinds),
    ...draftActions(kinds, (changing, refused) => showDraft({ ...changing, query: DRAFT_QUERY.parse({}) }, refused)),
    ...endingActions(kinds),
  ],
);

function readRoutes({ get, events, post }: Kinds<NewPageFunctions>) {
  return [
    get('/new', {
      may: FINANCE,
      show: async ({ reply, given }) => ({
        title: t`New portfolio`,
        body: uploadView({ drafts: await given.list(), csrf: reply.csrf(), maxUploadMb: given.maxUploadMb }),
      }),
    }),
    get('/new/:id', {
      may: FINANCE,
      query: DRAFT_QUERY,
      about: async ({ params: { id = '' }, given }) => ({ portfolio: (await given.read(id)).portfolio }),
      show: (visit) => showDraft(visit),
    }),
    get('/new/:id/import', { may: FINANCE, show: showImport }),
    get('/new/:id/file', {
      may: FINANCE,
      show: async ({ request, reply, params: { id = '' }, given }) => {
        const { name, content, sizeBytes } = await given.file(id);
        const type = 'application/octet-stream';
        const file = { fileName: name, sizeBytes, type, what: 'upload downloaded', about: id };
        return sendDownload({ request, reply }, file, content);
      },
    }),
    events('/new/:id/events', {
      may: FINANCE,
      key: ({ id = '' }) => id,
      frames: (given) => async (id) => {
        const draft = await given.read(id);
        return [{ id: PROGRESS_ID, html: previewProgress(draft, await given.preview(draft)) }];
      },
    }),
    events('/new/:id/import/events', {
      may: FINANCE,
      key: ({ id = '' }) => id,
      frames: (given) => async (id) => [{ id: PROGRESS_ID, html: await importPiece(await given.look(id), given) }],
    }),
    post('/new/upload', {
      may: FINANCE,
      action: 'upload',
      multipart: MULTIPART,
      limitMs: UPLOAD_LIMIT_MS,
      handle: takeUpload,
    }),
    post('/new/:id/documents', {
      may: FINANCE,
      action: 'mend',
      about: aboutDraft,
      multipart: MULTIPART,
      limitMs: UPLOAD_LIMIT_MS,
      handle: async ({ request, reply, params: { id = '' }, tell, given }) => {
        const before = (await given.read(id)).documents.length;
        const { documents } = await takenFrom(request, given.addToUpload(id, filesOf(request), request.person.by));
        tell({ documents: documents.slice(before).map(({ name }) => name) });
        return reply.redirect(`/new/${id}#mend`, 303);
      },
    }),
  ];
}

async function takeUpload({ request, reply, tell, given }: Posted<NewPageFunctions>) {
  const announced = Number(request.headers['content-length']);
  const receiving = given.receive(
    filesOf(request),
    Number.isFinite(announced) ? announced : undefined,
    request.person.by,
  );
  const { id, name, versions, supplier } = await takenFrom(request, receiving);
  tell({ upload: id, file: name, sha256: versions[0]?.sha256, ...(supplier && { supplier: supplier.name }) });
  return reply.redirect(`/new/${id}`, 303);
}

/** The draft that was made of uploaded files. @throws ConsoleError where they were refused or cut off */
async function takenFrom(
  request: FastifyRequest,
  taking: ReturnType<NewPageFunctions['receive']>,
): Promise<PortfolioDraft> {
  const answer = await taking.catch((error: unknown) => {
    throw isCutOff(error, request) ? new ConsoleError(400, CUT_OFF, { cause: error }) : error;
  });
  if ('draft' in answer) return answer.draft;
  const { status, message } = answer.refused;
  throw new ConsoleError(status, message);
}

/** Whether a person gave the upload up, or the connection broke; neither is a fault of the console. */
function isCutOff(error: unknown, { raw }: FastifyRequest): boolean {
  return (raw.destroyed && !raw.complete) || /unexpected end of multipart data/i.test(messageOf(error));
}

const CUT_OFF = t`The upload was cut off before its end, and nothing of it was kept. Upload it again.`;

/** The most files of an upload. A ZIP file counts as one, and can hold more documents. */
const MOST_FILES = 2_000;

/**
 * The parser's limits: none for bytes, which are counted where files are received, since a file that the parser cut off would look
 * complete.
 */
const MULTIPART = {
  limits: { fileSize: Number.MAX_SAFE_INTEGER, files: MOST_FILES, parts: MOST_FILES + 10, fields: 10 },
  throwFileSizeLimit: true,
};

async function* filesOf(request: FastifyRequest): AsyncGenerator<IncomingFile> {
  if (!request.isMultipart()) throw new ConsoleError(415, t`Upload the file from the page.`);
  for await (const part of request.parts()) {
    if (part.type === 'file') yield { field: part.fieldname, name: part.filename ?? '', content: part.file };
  }
  await request.lookAgain();
}

/** The page of an upload; with a form that was `refused`, as it was typed and with the reason. */
async function showDraft(
  { request, reply, params, query, given }: Omit<Shown<z.infer<typeof DRAFT_QUERY>>, 'rights'>,
  refused?: RefusedForm,
) {
  const { draft, progress } = await given.look(params.id ?? '');
  if (progress) return reply.redirect(`/new/${draft.id}/import`, 303);
  const state = await settledPreview(draft, given);
  const place = placeOf(query, state);
  const isThere = state.is === 'there';
  const lines = isThere ? await given.lines(draft, { preview: state.preview, ...place }) : [];
  const names = isThere ? await given.portfolioNames() : [];
  const there = names.includes(draft.portfolio) ? await given.whatIsThere(draft.portfolio) : undefined;
  const approvalPolicy = await given.approvalPolicy();
  const requested = isThere ? state.preview.dryRun.requested : '0';
  const over = await given.personOver(authorsWith(draft, request.person.by), requested, approvalPolicy);
  const by = { csrf: reply.csrf(), rights: request.rights };
  const shown = { state, place, lines, names, there, approvalPolicy, over, refused, ...by };
  if (state.is === 'under way') reply.header('refresh', String(REFRESH_S));
  return {
    title: draft.name,
    body: draftView(draft, shown),
    ...(state.is === 'under way' ? { events: `/new/${draft.id}/events` } : {}),
  };
}

/** The query of an upload's page: which list of lines to show (problems or warnings), with which column, and which page. */
const DRAFT_QUERY = z.object({
  list: z.unknown().optional(),
  column: z.string().max(1_000).optional(),
  page: digits(5),
});

/** The list and page to show: where the address names no list, the problems, or the warnings if there are no problems. */
function placeOf({ list, column, page: number }: z.infer<typeof DRAFT_QUERY>, state: PreviewState): ShownPlace {
  const first = state.is === 'there' && state.preview.problems.lines === 0 ? 'warnings' : 'problems';
  const named = list === 'problems' || list === 'warnings' ? list : first;
  // In the address, an empty column stands for lines that are wrong as a whole. A column without faults shows all lines.
  const causes = state.is === 'there' ? state.preview[named].causes : [];
  const cause = causes.find((one) => (one.column ?? '') === column);
  return { list: named, page: number, isFocused: list !== undefined, ...(cause ? { column: cause.column } : {}) };
}

type Shown<Q> = Visit<NewPageFunctions, Q> & { reply: FastifyReply };

async function showImport({ reply, params, given }: Shown<unknown>) {
  const looked = await given.look(params.id ?? '');
  const { draft, progress } = looked;
  const { submitted } = draft;
  if (!submitted) return reply.redirect(`/new/${draft.id}`, 303);
  if (!progress && submitted.ended?.faults.length === 0) {
    return reply.redirect(`/portfolios/${encodeURIComponent(submitted.portfolio)}`, 303);
  }
  if (!progress) return reply.redirect(`/new/${draft.id}`, 303);
  reply.header('refresh', String(REFRESH_S));
  return {
    title: t`Importing ${draft.name}`,
    body: importView(draft, await importPiece(looked, given), asksApproval(await given.approvalPolicy())),
    events: `/new/${draft.id}/import/events`,
  };
}

type Looked = Awaited<ReturnType<NewPageFunctions['look']>>;

async function importPiece({ draft, progress }: Looked, given: NewPageFunctions) {
  const state = await given.preview(draft);
  const total = state.is === 'there' ? state.preview.counts.lines : undefined;
  return importProgress(draft, { progress, total });
}

function importView({ id, name, submitted }: PortfolioDraft, progress: Html, isAsked: boolean): Html {
  const portfolio = submitted?.portfolio ?? '';
  return html`${pageHead({
    title: html`Importing <bdi>${name}</bdi>`,
    trail: [
      { href: '/new', words: t`New portfolio` },
      { href: `/new/${id}`, words: name },
    ],
    lead: html`Into portfolio <a href="/portfolios/${encodeURIComponent(portfolio)}"><bdi>${portfolio}</bdi></a>. ${isAsked ? t`Nothing is sent before the whole file is imported, and approved where needed` : t`The first lines are already being requested`}. You can leave this page.`,
  })}
  ${panel({ title: t`Progress`, body: html`<div data-module="follow"><div id="${PROGRESS_ID}">${progress}</div></div>` })}`;
}
