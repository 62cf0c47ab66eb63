import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerResult, ApprovalAnswer, ApprovalLook } from '../../../ledger/approvals/approval-look.ts';
import type { Approval } from '../../../ledger/schema/approval.ts';
import type { Person } from '../../../people/person.ts';
import { APPROVER, LOOKS } from '../../access/access.ts';
import { ConsoleError } from '../../console-app.ts';
import { t } from '../../html/html.ts';
import { approvalAddress } from '../addresses.ts';
import { type Posted, page } from '../page.ts';
import { type Answering, refusedWords } from './answer-forms.ts';
import { approvalPage } from './approval-page.ts';
import { type ApprovalsList, approvalsPage } from './approvals-list.ts';

export type ApprovalsPageFunctions = {
  list: () => Promise<ApprovalsList>;
  read: (id: string) => Promise<Approval | undefined>;
  /** All that an approver must see; undefined where there is no such approval. */
  look: (id: string) => Promise<ApprovalLook | undefined>;
  /** Whether this person asked for the approval, under any of their names. */
  isOwn: (approval: Pick<Approval, 'authors'>, person: Person) => boolean;
  /** Whether a person may answer, what they must prove, and who else may answer. */
  answering: (
    approval: Approval,
    person: Person,
    session: string,
  ) => Promise<Pick<Answering, 'may' | 'needsPassword' | 'needsCode' | 'needsSignIn' | 'approvers'>>;
  /**
   * Answers an approval once, for the digest that the person saw.
   *
   * @param said.from the client's address, by which failed passwords are counted
   */
  answer: (said: {
    id: string;
    answer: ApprovalAnswer;
    digest: string;
    words: string;
    person: Person;
    password: string;
    code: string;
    /** The id of the session that answers; '' for none. */
    session: string;
    from: string;
  }) => Promise<AnswerResult>;
};

const ANSWERS = ['approve', 'decline'] as const;

/** The time limit of one approval's page: long, since the imported file is opened for its mapping and first warnings. */
const LOOK_LIMIT_MS = 10_000;

/** How long the page waits while the approved rows are released; the release continues in the background after that. */
const ANSWER_LIMIT_MS = 30_000;

/** `/approvals` and `/approvals/:id`: requests that wait for a second person, and that person's answer. */
export const secondPersonPage = page<ApprovalsPageFunctions>(
  { at: 'approvals', entry: { at: 'approvals', href: '/approvals', words: t`Approvals` } },
  ({ get, post }) => [
    get('/approvals', {
      may: LOOKS,
      show: async ({ request, given }) => {
        const body = approvalsPage(await given.list(), (approval) => given.isOwn(approval, request.person));
        return { title: t`Approvals`, body };
      },
    }),
    get('/approvals/:id', {
      may: LOOKS,
      limitMs: LOOK_LIMIT_MS,
      show: ({ request, reply, params: { id = '' }, given }) => show(id, { request, reply }, given),
    }),
    // A refused answer is shown under its own address, to which a reload or a new sign-in leads.
    ...ANSWERS.map((answer) =>
      get(`/approvals/:id/${answer}`, {
        may: LOOKS,
        show: ({ reply, params: { id = '' } }) => reply.redirect(approvalAddress(id), 303),
      }),
    ),
    ...ANSWERS.map((answer) =>
      post(`/approvals/:id/${answer}`, {
        may: APPROVER,
        action: answer,
        limitMs: ANSWER_LIMIT_MS,
        says: ['digest', 'because'],
        about: async ({ params: { id = '' }, given }) => aboutOf(await given.read(id)),
        handle: (acting) => hear(answer, acting),
      }),
    ),
  ],
);

/** What the audit records of the approval, beside the fields of the form. */
function aboutOf(approval: Approval | undefined) {
  if (!approval) return {};
  const { portfolio, kind, rows, sum, authors } = approval;
  return { portfolio, facts: { kind, rows, sum, authors } };
}

async function hear(
  answer: ApprovalAnswer,
  { request, reply, params: { id = '' }, fields, tell, given }: Posted<ApprovalsPageFunctions>,
) {
  const words = (fields.because ?? '').trim().slice(0, LONGEST_WORDS);
  if (answer === 'decline' && words === '') throw new ConsoleError(422, t`Say why not: whoever asked for it reads it.`);
  const { person, ip } = request;
  const { digest = '', password = '', code = '' } = fields;
  const answered = await given.answer({
    id,
    answer,
    digest,
    words,
    person,
    password,
    code,
    session: sessionOf(request),
    from: ip,
  });
  tell({ answered: answered.is });
  switch (answered.is) {
    case 'done':
      return reply.redirect(approvalAddress(id), 303);
    case 'gone':
      throw new ConsoleError(404, NO_APPROVAL);
    case 'own':
    case 'role':
    case 'nobody':
      throw new ConsoleError(403, refusedWords(answered));
    case 'answered':
      throw new ConsoleError(409, refusedWords(answered));
    case 'later':
      reply.header('retry-after', answered.afterS).code(429);
      break;
    default:
      reply.code(STATUSES[answered.is]);
  }
  return show(id, { request, reply, refused: answered }, given);
}

const STATUSES = { changed: 409, password: 422, owes: 403, 'sign in': 403, busy: 503 } as const;

/** The most characters of an approver's reason: enough for a sentence or two. */
const LONGEST_WORDS = 400;

const NO_APPROVAL = t`There is no such approval in this account, or not any more. The approvals of an archived portfolio come back when it is restored. See what waits under Approvals.`;

async function show(
  id: string,
  { request, reply, refused }: { request: FastifyRequest; reply: FastifyReply; refused?: AnswerResult },
  given: ApprovalsPageFunctions,
) {
  const look = await given.look(id);
  if (!look) throw new ConsoleError(404, NO_APPROVAL);
  const { approval } = look;
  const answering = {
    ...(await given.answering(approval, request.person, sessionOf(request))),
    refused,
    csrf: reply.csrf(),
  };
  return { title: t`Approval (${approval.portfolio})`, body: approvalPage(look, answering, request.rights) };
}

const sessionOf = ({ signedIn }: FastifyRequest): string => signedIn?.session ?? '';
