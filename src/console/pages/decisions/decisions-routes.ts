import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { isLimitlineError } from '../../../errors.ts';
import { decisionsFacts, type UnreadUpload, type UploadedDecisions } from '../../../ledger/plans/decisions-taken.ts';
import { DECISION_COLUMNS } from '../../../portfolio/results/decision-columns.ts';
import { t } from '../../html/html.ts';
import { below, portfolioAddress, portfolioOfParams } from '../addresses.ts';
import { formFileOf, page } from '../page.ts';
import { decisionsView, refusedView } from './decisions-view.ts';

export type DecisionsPageFunctions = {
  /** Says what the decisions of a file would change in the portfolio. @throws LimitlineError where it cannot be read */
  look: (
    portfolio: string,
    upload: { fileName: string; content: Buffer; reading: z.infer<typeof READING> },
    by: string,
  ) => Promise<UploadedDecisions | UnreadUpload>;
  /**
   * Reads an upload again with the meaning that a person gave its columns; undefined if the upload is too old.
   *
   * @throws LimitlineError where the upload cannot be read
   */
  name: (
    id: string,
    portfolio: string,
    map: readonly string[],
    by: string,
  ) => Promise<UploadedDecisions | UnreadUpload | undefined>;
  /** Takes in the decisions of an upload that was shown; undefined if they were taken in already, or the upload is too old. */
  take: (id: string, portfolio: string, by: string) => Promise<UploadedDecisions | undefined>;
  /** The outcome of an upload whose decisions were taken in lately; undefined for another one. */
  taken: (id: string, portfolio: string) => Promise<UploadedDecisions | undefined>;
};

/** Who may upload what the service decided later, since its decisions change the outcomes of rows. */
const DECIDES = { roles: ['finance', 'operator'] } as const;

/** The largest file of decisions: more than 100,000 lines, whose decisions are kept until they are taken in. */
const FILE_LIMIT_MB = 10;

/** The time limit of a request: each decision is looked up, and a slow machine takes half a minute for 100,000. */
const LIMIT_MS = 120_000;

const READING = z.object({
  decimal: z.enum(['.', ',']).optional().catch(undefined),
  dates: z.enum(['dmy', 'mdy']).optional().catch(undefined),
});

/**
 * `/portfolios/:name/decisions`: uploads a file of the service's later decisions, shows what they would change, and takes them in
 * once a person confirms.
 */
export const uploadedDecisionsPage = page<DecisionsPageFunctions>({ at: 'portfolios' }, ({ get, post }) => [
  // Forms of the following pages are posted to these addresses. A person who opens or reloads one is led to the portfolio's page.
  ...['', '/columns', '/take'].map((rest) =>
    get(`/portfolios/:name/decisions${rest}`, {
      may: DECIDES,
      show: ({ params, reply }) => reply.redirect(portfolioAddress(portfolioOfParams(params)), 303),
    }),
  ),
  get('/portfolios/:name/decisions/taken/:upload', {
    may: DECIDES,
    show: async ({ params, query, reply, given }) => {
      const portfolio = portfolioOfParams(params);
      const shown = await given.taken(params.upload ?? '', portfolio);
      if (!shown) return refused(reply, portfolio, { status: 404, message: TAKEN_OR_OLD, isGone: true });
      return { title: titleOf(portfolio), body: decisionsView(shown, { twice: 'twice' in query }) };
    },
  }),
  post('/portfolios/:name/decisions', {
    may: DECIDES,
    action: 'decisions',
    // This request only shows what would change, so the audit trail does not record it. Taking decisions in is recorded.
    audited: false,
    multipart: {},
    bodyLimit: FILE_LIMIT_MB * 1_000_000 + 100_000,
    limitMs: LIMIT_MS,
    handle: async ({ request, params, reply, actor, given }) => {
      const portfolio = portfolioOfParams(params);
      const file = await formFileOf(request, FILE_LIMIT_MB * 1_000_000);
      if (file === 'none') return refused(reply, portfolio, { status: 422, message: NO_FILE });
      if (file === 'too large') return refused(reply, portfolio, { status: 413, message: TOO_LARGE });
      const { fileName, content, fields } = file;
      const said = Object.entries(fields).map(([name, one]) => [name, one && 'value' in one ? one.value : '']);
      const upload = { fileName, content, reading: READING.parse(Object.fromEntries(said)) };
      return looked(reply, portfolio, given.look(portfolio, upload, actor.name));
    },
  }),
  post('/portfolios/:name/decisions/columns', {
    may: DECIDES,
    action: 'decisions',
    audited: false,
    limitMs: LIMIT_MS,
    handle: async ({ params, reply, fields: { upload = '', ...columns }, actor, given }) => {
      const portfolio = portfolioOfParams(params);
      const map = DECISION_COLUMNS.flatMap((name) => (columns[name] ? `${columns[name]}=${name}` : []));
      return looked(reply, portfolio, given.name(upload, portfolio, map, actor.name));
    },
  }),
  post('/portfolios/:name/decisions/take', {
    may: DECIDES,
    action: 'decisions',
    limitMs: LIMIT_MS,
    handle: async ({ params, reply, fields, actor, tell, given }) => {
      const portfolio = portfolioOfParams(params);
      const { upload = '' } = fields;
      const shown = await given.take(upload, portfolio, actor.name);
      const address = below(portfolio, 'decisions', 'taken', upload);
      if (shown) {
        const { fileName, sha256 } = shown;
        tell({ file: fileName, sha256, ...decisionsFacts(shown) });
        return reply.redirect(address, 303);
      }
      tell({ became: 'nothing' });
      if (await given.taken(upload, portfolio)) return reply.redirect(`${address}?twice`, 303);
      return refused(reply, portfolio, { status: 409, message: TAKEN_OR_OLD, isGone: true });
    },
  }),
]);

const NO_FILE = t`Choose a file with the columns buyer_limit_id (or row) and status.`;
const TOO_LARGE = t`The file is larger than ${FILE_LIMIT_MB} MB: split it, or ask an operator. Nothing was kept.`;
const TAKEN_OR_OLD = t`An upload is kept for 15 minutes. Look at the rows of the portfolio first: they show whether the decisions were taken in.`;

const titleOf = (portfolio: string) => t`Decisions (${portfolio})`;

/** The page of an upload: what its decisions would change, or what a person must state or correct before they can be read. */
async function looked(
  reply: FastifyReply,
  portfolio: string,
  look: Promise<UploadedDecisions | UnreadUpload | undefined>,
) {
  try {
    const shown = await look;
    if (!shown) return refused(reply, portfolio, { status: 409, message: TAKEN_OR_OLD, isGone: true });
    if ('message' in shown) return refused(reply, portfolio, { status: 422, message: shown.message, unread: shown });
    return { title: titleOf(portfolio), body: decisionsView(shown, { csrf: reply.csrf() }) };
  } catch (error) {
    if (isLimitlineError(error, 'FILE')) return refused(reply, portfolio, { status: 422, message: error.message });
    throw error;
  }
}

function refused(
  reply: FastifyReply,
  portfolio: string,
  { status, ...why }: { status: number; message: string; unread?: UnreadUpload; isGone?: boolean },
) {
  reply.code(status);
  return { title: titleOf(portfolio), body: refusedView(portfolio, { ...why, csrf: reply.csrf() }) };
}
