import { z } from 'zod';
import { isLimitlineError } from '../../../errors.ts';
import { isPortfolioName } from '../../../ledger/schema/schema.ts';
import { ConsoleError } from '../../console-app.ts';
import { t } from '../../html/texts.ts';
import { page } from '../page.ts';
import { decisionsView, onPage, type ShownDecisions } from './decisions-view.ts';

/** The functions of the pages of uploaded decisions. */
export type DecisionsPageFunctions = {
  /** Says what would become of a file's decisions, for rows of the portfolio. @throws LimitlineError where it cannot be read */
  look: (
    portfolio: string,
    upload: { fileName: string; content: Buffer; reading: z.infer<typeof READING> },
    by: string,
  ) => Promise<ShownDecisions>;
  /** Takes in what was looked at; undefined if that happened already, or the upload is too old. */
  take: (id: string, portfolio: string, by: string) => Promise<ShownDecisions | undefined>;
};

/** Who may say what the service decided later: it decides what becomes of rows. */
const DECIDES = { roles: ['finance', 'operator'] } as const;

/** The largest file of decisions: more than 100,000 lines, whose decisions are kept until they are taken in. */
const FILE_LIMIT_MB = 10;

/** The time limit of a request: each decision is looked up, and a slow machine takes half a minute for 100,000. */
const LIMIT_MS = 120_000;

const READING = z.object({
  decimal: z.enum(['.', ',']).optional().catch(undefined),
  dates: z.enum(['dmy', 'mdy']).optional().catch(undefined),
});

/** `/portfolios/:name/decisions`: an upload of what the service decided later; what would become of it, and then that it is taken in. */
export const uploadedDecisionsPage = page<DecisionsPageFunctions>({ at: 'portfolios' }, ({ post }) => [
  post('/portfolios/:name/decisions', {
    may: DECIDES,
    action: 'decisions',
    // Looking changes nothing, so only what is taken in is audited.
    audited: false,
    multipart: {},
    bodyLimit: FILE_LIMIT_MB * 1_000_000 + 100_000,
    limitMs: LIMIT_MS,
    handle: async ({ request, params, reply, actor, given }) => {
      const portfolio = nameOf(params);
      const limits = { fileSize: FILE_LIMIT_MB * 1_000_000, files: 1, fields: 5 };
      const file = await request.file({ limits, throwFileSizeLimit: false });
      // The body is read to its end even without a file; otherwise the browser sees a broken connection, not the answer.
      const content = await file?.toBuffer();
      if (!file || !content || file.filename === '') throw noFile();
      if (file.file.truncated) throw tooLarge();
      const said = Object.entries(file.fields).map(([name, one]) => [name, one && 'value' in one ? one.value : '']);
      const upload = { fileName: file.filename, content, reading: READING.parse(Object.fromEntries(said)) };
      const shown = await given.look(portfolio, upload, actor.name).catch((error: unknown) => {
        throw isLimitlineError(error, 'FILE') ? new ConsoleError(422, onPage(error.message), { cause: error }) : error;
      });
      return { title: t`Decisions (${portfolio})`, body: decisionsView(shown, reply.csrf()) };
    },
  }),
  post('/portfolios/:name/decisions/take', {
    may: DECIDES,
    action: 'decisions',
    limitMs: LIMIT_MS,
    handle: async ({ params, fields, actor, tell, given }) => {
      const portfolio = nameOf(params);
      const shown = await given.take(fields.upload ?? '', portfolio, actor.name);
      if (!shown) throw new ConsoleError(409, TAKEN_OR_OLD);
      const { fileName, sha256, taken, known, rows, left, problems } = shown;
      tell({ file: fileName, sha256, taken, known, rows, left, notTaken: problems.length });
      return { title: t`Decisions (${portfolio})`, body: decisionsView(shown) };
    },
  }),
]);

const TAKEN_OR_OLD = t`These decisions were taken in already, or were uploaded too long ago. Upload the file again.`;

function noFile(): ConsoleError {
  return new ConsoleError(422, t`Choose a file with the columns buyer_limit_id (or row) and status.`);
}

function tooLarge(): ConsoleError {
  const words = t`The file is larger than ${FILE_LIMIT_MB} MB: split it, or ask an operator. Nothing was kept.`;
  return new ConsoleError(413, words);
}

function nameOf({ name = '' }: Readonly<Record<string, string>>): string {
  if (!isPortfolioName(name)) throw new ConsoleError(404, t`No portfolio can have this name.`);
  return name;
}
