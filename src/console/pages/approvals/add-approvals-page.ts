import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerResult, ApprovalAnswer, ApprovalLook } from '../../../ledger/approvals/approval-look.ts';
import type { Approval } from '../../../ledger/schema/approval.ts';
import type { Person } from '../../../people/person.ts';
import { addAction } from '../../actions/add-action.ts';
import type { Acting } from '../../console-app.ts';
import { type ConsoleApp, ConsoleError } from '../../console-app.ts';
import { approvalAddress } from '../addresses.ts';
import { type Answering, refusedWords } from './answer-forms.ts';
import { approvalPage } from './approval-page.ts';
import { type ApprovalsList, approvalsPage } from './approvals-list.ts';

export type ApprovalsPageFunctions = {
  list: () => Promise<ApprovalsList>;
  read: (id: string) => Promise<Approval | undefined>;
  /** All that an approver has to see; nothing where there is no such approval. */
  look: (id: string) => Promise<ApprovalLook | undefined>;
  /** Whether this person asked for it, under whatever name. */
  isOwn: (approval: Pick<Approval, 'authors'>, person: Person) => boolean;
  /** Whether a person may answer, whether their password is asked for, and who may besides. */
  answering: (
    approval: Approval,
    person: Person,
    session: string,
  ) => Promise<Pick<Answering, 'may' | 'needsPassword' | 'needsCode' | 'needsSignIn' | 'approvers'>>;
  /**
   * Answers it, once, as it was looked at.
   *
   * @param said.from the address from which it is said: passwords that are tried are counted by it
   */
  answer: (said: {
    id: string;
    answer: ApprovalAnswer;
    digest: string;
    words: string;
    person: Person;
    password: string;
    code: string;
    /** The session in which it is said; '' for none. */
    session: string;
    from: string;
  }) => Promise<AnswerResult>;
};

/** The largest file is opened for its mapping and its first warnings. */
const LOOK_LIMIT_MS = 10_000;

/** What was approved is let go in the background; what takes longer than this goes on without the page. */
const ANSWER_LIMIT_MS = 30_000;

/** `/approvals` and `/approvals/:id`: what waits for a second person, and that person's yes or no. */
export function addApprovalsPage(app: ConsoleApp, given: ApprovalsPageFunctions): void {
  app.get('/approvals', async (request, reply) => {
    const list = await given.list();
    const body = approvalsPage(list, (approval) => given.isOwn(approval, request.person));
    return reply.page({ title: 'Approvals', at: 'approvals', body });
  });

  app.get('/approvals/:id', { handlerTimeout: LOOK_LIMIT_MS }, async (request, reply) =>
    show((request.params as { id: string }).id, { request, reply }, given),
  );

  for (const answer of ['approve', 'decline'] as const) {
    addAction(app, {
      url: `/approvals/:id/${answer}`,
      action: answer,
      limitMs: ANSWER_LIMIT_MS,
      says: ['digest', 'because'],
      about: async (request) => aboutOf(await given.read((request.params as { id: string }).id)),
      handle: (acting) => hear(answer, acting, given),
    });
  }
}

/** What the audit is told of it beside what is said. */
function aboutOf(approval: Approval | undefined) {
  if (!approval) return {};
  const { portfolio, kind, rows, sum, authors } = approval;
  return { portfolio, facts: { kind, rows, sum, authors } };
}

async function hear(
  answer: ApprovalAnswer,
  { request, reply, params: { id = '' }, fields, tell }: Acting,
  given: ApprovalsPageFunctions,
) {
  const words = (fields.because ?? '').trim().slice(0, LONGEST_WORDS);
  if (answer === 'decline' && words === '') throw new ConsoleError(422, 'Say why not: whoever asked for it reads it.');
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

/** A sentence or two. */
const LONGEST_WORDS = 400;

const NO_APPROVAL = 'There is no such approval in this account, or not any more. See what waits under Approvals.';

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
  return reply.page({
    title: `Approval (${approval.portfolio})`,
    at: 'approvals',
    body: approvalPage(look, answering, request.rights),
  });
}

const sessionOf = ({ signedIn }: FastifyRequest): string => signedIn?.session ?? '';
