import type { Command } from 'commander';
import { answerApproval } from '../../jobs/approvals/answer-approval.ts';
import { carryOutAnswered } from '../../jobs/approvals/carry-out-answers.ts';
import { largestRows } from '../../jobs/approvals/look-at-approval.ts';
import { commandLineActor } from '../../src/actor.ts';
import { refusedWords } from '../../src/console/pages/approvals/answer-forms.ts';
import { counted } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { AnswerResult, ApprovalAnswer } from '../../src/ledger/approvals/approval-look.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import { commandLineFrom } from '../audit/audit-command.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import { goingOn } from '../terminal/going-on.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { saidLine, waitingOf, waitingWords } from './approval-words.ts';
import { whoAnswers } from './who-answers.ts';

/** Options of `approve` and `decline`. */
export type AnswerOptions = ApprovalChoice & { as: string; passwordStdin?: boolean };

export function withAnswerOptions(command: Command): Command {
  return command
    .requiredOption('--as <user>', 'the user who answers; the password and the code are asked for')
    .option('--approval <id>', 'which of several that wait')
    .option('--digest <text>', 'only if it is still what has this digest')
    .option('--password-stdin', 'read the password and the code from standard input, a line each');
}

/**
 * Shows what waits, identifies who answers, and records the answer.
 *
 * @throws LimitlineError where nothing waits or the person may not answer: then nothing was done
 */
export function answerByCommand(
  name: string,
  { answer, words, ...options }: AnswerOptions & { answer: ApprovalAnswer; words: string },
  terminal: Terminal,
): Promise<void> {
  return onPortfolio(name, async (context) => {
    const waiting = (await context.approvals.waiting()).filter(({ portfolio }) => portfolio === name);
    const approval = chooseApproval(name, options, waiting);
    terminal.say(waitingWords(approval));
    if (approval.kind === 'answer')
      for (const one of (await largestRows(approval, context)).largest) terminal.say(saidLine(one));
    const person = await whoAnswers({ ...options, portfolio: name }, context);
    const { id, kind, rows, sum, digest, authors } = approval;
    const answered = await context.audit.around(
      {
        by: person.by,
        what: answer === 'approve' ? 'approval answered yes' : 'approval answered no',
        from: commandLineFrom(),
        about: name,
        facts: { id, kind, rows, sum, authors, digest, because: words, typedBy: commandLineActor() },
      },
      () => answerApproval({ id, answer, digest, words, person }, context),
      ({ is }) => ({ answered: is }),
      ({ is }) => (is === 'done' ? 'done' : 'failed'),
    );
    if (answered.is !== 'done') throw new LimitlineError('USAGE', notDone(answered));
    await carryOutAnswered(answered.approval, context);
    const { goes, workers } = await goingOn(rows, name, context);
    terminal.print(doneWords(answer, { portfolio: name, rows, by: person.by, goes }), {
      portfolio: name,
      ...waitingOf(approval),
      answer: answer === 'approve' ? 'approved' : 'declined',
      by: person.by,
      workers,
    });
  });
}

function doneWords(
  answer: ApprovalAnswer,
  { portfolio, rows, by, goes }: { portfolio: string; rows: number; by: string; goes: string },
): string {
  return answer === 'approve'
    ? `Portfolio ${portfolio}: approved by ${by}; ${goes}`
    : `Portfolio ${portfolio}: declined by ${by}; nothing of ${counted(rows, 'row')} is sent.`;
}

function notDone(answered: Exclude<AnswerResult, { is: 'done' }>): string {
  if (answered.is === 'changed')
    return 'It changed at this moment, and is not what was shown any more. Nothing was done: run the command again.';
  return refusedWords(answered);
}

/** Which approval is meant, and the digest that the person saw. */
type ApprovalChoice = { approval?: string; digest?: string };

/**
 * The portfolio's approval that is meant: the only one that waits, or the one that is named.
 *
 * @throws LimitlineError `NOT_FOUND` where none waits, or not this one; `USAGE` where several wait, or its digest differs
 */
function chooseApproval(
  portfolio: string,
  { approval: id, digest }: ApprovalChoice,
  waiting: readonly Approval[],
): Approval {
  const meant = id === undefined ? waiting : waiting.filter((one) => one.id === id);
  const [only, ...others] = meant;
  if (!only) {
    const named = id === undefined ? 'Nothing' : `No approval ${id}`;
    throw new LimitlineError(
      'NOT_FOUND',
      `${named} of portfolio "${portfolio}" waits for approval. ${listed(waiting)}`,
    );
  }
  if (others.length > 0) {
    throw new LimitlineError(
      'USAGE',
      `Several approvals of portfolio "${portfolio}" wait: name one by --approval.\n${meant.map(waitingWords).join('\n')}`,
    );
  }
  if (digest !== undefined && digest !== only.digest) {
    throw new LimitlineError(
      'USAGE',
      `It is not what was looked at any more: its digest is ${only.digest}. Look at it again. Nothing was done.\n${waitingWords(only)}`,
    );
  }
  return only;
}

function listed(waiting: readonly Approval[]): string {
  return waiting.length === 0
    ? 'To see how its rows are, run: npx limitline report.'
    : `Those that do: ${waiting.map(({ id }) => id).join(', ')}.`;
}
