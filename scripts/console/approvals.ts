import { join } from 'node:path';
import { answerApproval, approversOf, carryOutAnswered, isOwn, whyNot } from '../../jobs/approvals/answer-approval.ts';
import { lookAtApproval, makeApprovalCurrency } from '../../jobs/approvals/look-at-approval.ts';
import { makeUnderstandFile } from '../../jobs/approvals/understand-file.ts';
import { makeDraftStore } from '../../jobs/drafts/draft-store.ts';
import { isOfProvider, isOfSystem } from '../../src/actor.ts';
import type { ApprovalsPageFunctions } from '../../src/console/pages/approvals/approvals-routes.ts';
import type { Context } from '../../src/context.ts';
import { messageOf } from '../../src/errors.ts';
import { inTime } from '../../src/in-time.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import { groupsWith } from '../../src/people/oidc/group-roles.ts';
import type { Person } from '../../src/people/person.ts';

/** How long a page waits until an answer to an approval is carried out, in ms. After that, carrying it out continues in the background. */
const AT_ONCE_MS = 1_200;

/** The most approvals that are listed. Others appear when these are answered. */
const MOST_WAITING = 100;
const MOST_ANSWERED = 20;

export function approvalsPageFunctions(context: Context): ApprovalsPageFunctions {
  const { approvals, people, log } = context;
  const uploads = makeDraftStore({ dir: join(context.settings.LIMITLINE_DATA, 'drafts') });
  const understand = makeUnderstandFile(context, uploads.list);

  /** The proofs that a user must give again before answering. A person of an identity provider gives them at the provider. */
  const needsOf = async ({ by }: Person) => {
    const user = await people.users.read(by);
    return { needsPassword: user !== undefined, needsCode: user?.hasFactor === true };
  };

  return {
    async list() {
      const [waiting, answered, hasUsers] = await Promise.all([
        approvals.waiting(),
        approvals.lately(MOST_ANSWERED),
        people.required(),
      ]);
      const currencyOf = makeApprovalCurrency(context);
      const priced = (some: readonly Approval[]) =>
        Promise.all(some.map(async (one) => ({ ...one, currency: await currencyOf(one) })));
      const [shown, lately] = await Promise.all([priced(waiting.slice(0, MOST_WAITING)), priced(answered)]);
      const isAnybody = hasUsers || groupsWith('approver', context.settings.CONSOLE_OIDC_ROLES).length > 0;
      return { waiting: shown, total: waiting.length, answered: lately, hasUsers: isAnybody };
    },

    read: approvals.read,

    look: (id) => lookAtApproval(id, { ...context, understand }),

    isOwn: (approval, { by }) => isOwn(approval, by),

    async answering(approval, person, session) {
      const proof = { approval: approval.id, by: person.by, session };
      const [needs, approvers, needsSignIn] = await Promise.all([
        needsOf(person),
        approversOf(approval, people.users),
        isOfProvider(person.by) && people.elsewhere.hasProof(proof).then((has) => !has),
      ]);
      return { may: whyNot(approval, person) ?? 'yes', ...needs, needsSignIn, approvers };
    },

    async answer({ password, code, from, session, ...said }) {
      const { id, answer } = said;
      let { person } = said;
      if (answer === 'approve' && isOfProvider(person.by)) {
        if (!(await people.elsewhere.takeProof({ approval: id, by: person.by, session }))) return { is: 'sign in' };
      } else if (answer === 'approve' && !isOfSystem(person.by)) {
        // Somebody who is no user any more has no password that is right.
        const checked = await people.check({ name: person.by, password, code, from });
        if (checked.is === 'no') return { is: 'password' };
        if (checked.is !== 'ok') return checked;
        // With the roles of now: the check may have waited for its turn.
        person = checked.person;
      }
      const answered = await answerApproval({ ...said, person }, context);
      if (answered.is !== 'done') return answered;
      const { portfolio } = answered.approval;
      log.info({ approval: id, portfolio, answer, by: person.by }, 'an approval was answered');
      const done = carryOutAnswered(answered.approval, context).catch((error) => {
        log.warn({ approval: id, reason: messageOf(error) }, 'what was approved goes on with the next worker');
      });
      await inTime(done, AT_ONCE_MS, () => {});
      return answered;
    },
  };
}
