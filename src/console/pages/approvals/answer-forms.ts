import type { AnswerResult, PricedApproval } from '../../../ledger/approvals/approval-look.ts';
import { type Approval, leavesNobody } from '../../../ledger/schema/approval.ts';
import { type Html, html, t } from '../../html/html.ts';
import { notice } from '../../parts/blocks.ts';
import { button, field, form, hidden, linkButton } from '../../parts/form.ts';
import { commandLine, listWords, shellWord, withNumbers } from '../../parts/text.ts';
import { OIDC_ADDRESS } from '../../sign-in/add-oidc-sign-in.ts';
import { approvalAddress } from '../addresses.ts';
import { approvalSizeWords, nobodyNamed, noUsers, peopleWords } from './approvals-list.ts';

/** Whether the reader may answer, and what they must prove. */
export type Answering = {
  /** `yes`, or why not: the reader asked for it (`own`), lacks the `role`, or the console has no users, so `nobody` may. */
  may: 'yes' | 'own' | 'role' | 'nobody';
  /** True for Limitline's own users, false for people of an identity provider. */
  needsPassword: boolean;
  /** Whether a code of the second factor is needed as well. */
  needsCode: boolean;
  /** Whether the person must first sign in again at their identity provider. */
  needsSignIn: boolean;
  /** The people who may answer, without those who asked for the approval; empty where nobody is known. */
  approvers: readonly string[];
  /** The refusal of the answer that the person has just given, if any. */
  refused?: AnswerResult | undefined;
  csrf: string;
};

/** The forms to approve and to decline, each with the digest that the person sees; or why there are none. */
export function answerPart(approval: PricedApproval, answering: Answering): Html {
  if (answering.may !== 'nobody' && leavesNobody({ inboxApprovers: approval.approvers })) return nobodyNamed();
  switch (answering.may) {
    case 'nobody':
      return noUsers();
    case 'own':
      return html`${notice('info', html`A colleague must approve it: ${whoMay(approval, answering)}.`, { title: t`You asked for this, or took part in it.` })}${commandPart(approval)}`;
    case 'role':
      return html`${notice('info', html`Only people with the role approver${approval.approvers ? t` who are named for files of the drop folder` : ''} can decide: ${whoMay(approval, answering)}.`, { title: t`You cannot approve this.` })}`;
    case 'yes':
      return html`${refusedPart(answering.refused)}<div class="answers">${approveForm(approval, answering)}${declineForm(approval, answering)}</div>${commandPart(approval)}`;
  }
}

/** The people who may answer the approval, as a part of a sentence. */
function whoMay(
  { approvers: named }: Pick<Approval, 'approvers'>,
  { approvers }: Pick<Answering, 'approvers'>,
): string {
  if (approvers.length > 0) return t`${peopleWords(approvers)} may`;
  return named
    ? t`${listWords(named, 'or')}, with the role approver; no such user is known`
    : t`somebody else with the role approver; no such user is known yet`;
}

function approveForm(
  approval: PricedApproval,
  { needsPassword, needsCode, needsSignIn, refused, csrf }: Answering,
): Html {
  const { id, digest } = approval;
  if (needsSignIn) {
    const href = `${OIDC_ADDRESS}?${new URLSearchParams({ approval: id, to: approvalAddress(id) })}`;
    return html`<div class="form"><p>Sign in again first, so that nobody approves at a screen that was left open. Then approve within five minutes.</p>${linkButton({ href, words: t`Sign in again`, kind: 'primary' })}</div>`;
  }
  return form({
    action: `${approvalAddress(id)}/approve`,
    csrf,
    label: t`Approve`,
    body: html`${hidden('digest', digest)}${
      needsPassword &&
      field({
        label: t`Your password`,
        name: 'password',
        type: 'password',
        autocomplete: 'current-password',
        required: true,
        maxlength: LONGEST_PASSWORD,
        hint: t`Asked for again, so that nobody approves at a screen that was left open.`,
        problem: refused?.is === 'password' ? noFit(needsCode) : undefined,
      })
    }${
      needsCode &&
      field({
        label: t`Code of your second factor`,
        name: 'code',
        autocomplete: 'one-time-code',
        inputmode: 'numeric',
        required: true,
        maxlength: LONGEST_CODE,
        hint: t`Each code is good once: not the one that you signed in with.`,
      })
    }${button({ words: withNumbers(t`Approve ${approvalSizeWords(approval)}`), kind: 'primary' })}`,
  });
}

function noFit(needsCode: boolean): string {
  return needsCode
    ? t`The password is wrong, or the code is, or it was used before: give another code. Nothing was approved.`
    : t`This is not your password. Nothing was approved.`;
}

/** The most characters of a typed code: more than a recovery code with separators has. */
const LONGEST_CODE = 100;

/** The most characters of a typed password: more than any allowed one has. */
const LONGEST_PASSWORD = 1_000;

function declineForm({ id, digest, kind }: Approval, { csrf }: Answering): Html {
  return form({
    action: `${approvalAddress(id)}/decline`,
    csrf,
    label: t`Decline`,
    body: html`${hidden('digest', digest)}${field({
      label: t`Reason for declining`,
      name: 'because',
      required: true,
      maxlength: 400,
      hint:
        kind === 'import'
          ? t`Its rows are cancelled, and your reason is kept with them.`
          : t`Its rows stay as they are, and your reason is kept.`,
    })}${button({ words: t`Decline`, kind: 'danger' })}`,
  });
}

function commandPart({ portfolio, id, digest }: Approval): Html {
  const command = `npx limitline approve ${shellWord(portfolio)} --as USER --approval ${shellWord(id)} --digest ${digest}`;
  return html`<p class="same-command">${commandLine(command, t`From a terminal:`)}</p>`;
}

function refusedPart(refused: AnswerResult | undefined): Html | false {
  if (!refused || refused.is === 'password') return false;
  return notice('bad', refusedWords(refused), { urgent: true });
}

/** Why an answer had no effect, and what to do. */
export function refusedWords(refused: AnswerResult): string {
  switch (refused.is) {
    case 'done':
      return t`It is done.`;
    case 'answered': {
      const { answered, standing } = refused.approval;
      const was = standing === 'declined' ? 'declined' : 'approved';
      return answered ? t`${answered.by} ${was} it already. Only one answer counts.` : t`It was answered before.`;
    }
    case 'changed':
      return t`It has changed since you looked at it, so nothing was done. This is what it is now: look at it again.`;
    case 'own':
      return t`You asked for this, or took part in it: a colleague must decide. Nothing was done.`;
    case 'role':
      return t`You may not approve this: it takes the role approver, and for a file of the drop folder you have to be named for it. Nothing was done.`;
    case 'nobody':
      return t`Nobody can approve yet: an admin has to add a user with the role approver first. Nothing was done.`;
    case 'password':
      return t`The password or the code is wrong. Nothing was done.`;
    case 'sign in':
      return t`Nothing was done. Sign in again at your identity provider first. Then you have five minutes to answer this approval, once.`;
    case 'owes':
      return t`Set a password of your own and a second factor first, under your account. Nothing was done.`;
    case 'later':
      return t`Too many wrong passwords: try again in ${refused.afterS} seconds. Nothing was done.`;
    case 'busy':
      return t`Too many people are signing in: try again in a moment. Nothing was done.`;
    case 'gone':
      return t`There is no such approval. Nothing was done.`;
  }
}
