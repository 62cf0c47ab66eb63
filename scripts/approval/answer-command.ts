import type { Command } from 'commander';
import { answerApproval, carryOutAnswered } from '../../jobs/approvals/answer-approval.ts';
import { makeApprovalCurrency } from '../../jobs/approvals/look-at-approval.ts';
import { lookElsewhere } from '../../jobs/approvals/look-elsewhere.ts';
import { commandLineActor } from '../../src/actor.ts';
import type { Audit } from '../../src/audit/audit.ts';
import { refusedWords } from '../../src/console/pages/approvals/answer-forms.ts';
import { counted } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { AnswerResult, ApprovalAnswer } from '../../src/ledger/approvals/approval-look.ts';
import type { Approval } from '../../src/ledger/schema/approval.ts';
import type { People } from '../../src/people/people.ts';
import type { Person } from '../../src/people/person.ts';
import { commandLineFrom } from '../audit/audit-command.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import { askSecret, canAsk, goingOn, linesOfInput, type Terminal } from '../terminal/terminal.ts';
import { saidLines, waitingOf, waitingWords } from './approval-words.ts';

export type AnswerOptions = ApprovalChoice & { as: string; passwordStdin?: boolean };

export function withAnswerOptions(command: Command): Command {
  return command
    .requiredOption('--as <user>', 'the user who answers; the password and the code are asked for')
    .option('--approval <id>', 'the id of the approval, where several wait')
    .option('--digest <text>', 'answer only if the approval still has this digest')
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
    const currencyOf = makeApprovalCurrency(context);
    const approval = await chooseApproval(name, options, { waiting, currencyOf }, terminal);
    const currency = await currencyOf(approval);
    const { words: elsewhere } = await lookElsewhere(approval, context);
    terminal.say(waitingWords(approval, { currency, ...(elsewhere.length > 0 && { isOld: true }) }));
    for (const words of elsewhere) terminal.say(`  ${words}`);
    if (approval.kind === 'answer') for (const one of await saidLines(approval, currency, context)) terminal.say(one);
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

/**
 * Identifies who answers, by password and a code of the second factor, asked for without showing them, or read from standard
 * input, a line each. The system user's name alone proves nothing.
 *
 * @throws LimitlineError `USAGE` where there are no users or the proof is wrong; then nothing was done
 */
async function whoAnswers(
  { as, portfolio, passwordStdin = false }: { as: string; portfolio: string; passwordStdin?: boolean | undefined },
  { people, audit }: { people: KnowsPeople; audit: Audit },
): Promise<Person> {
  if (!(await people.required())) {
    const message =
      'Approval needs people who are known by name, and there are none yet. Add one who may approve: npx limitline user add NAME --roles approver';
    throw new LimitlineError('USAGE', message);
  }
  const said = passwordStdin ? await readSecrets() : await askSecrets(as);
  const from = commandLineFrom();
  const checked = await people.check({ name: as, ...said, from });
  if (checked.is === 'ok') return checked.person;
  // People type passwords into the name's place, so an unknown name is not audited.
  const isKnown = (await people.users.read(as)) !== undefined;
  const facts = { why: checked.is, typedBy: commandLineActor() };
  await audit.refusal({
    by: isKnown ? as : 'unknown',
    what: 'answer to an approval refused',
    from,
    about: portfolio,
    facts,
  });
  throw new LimitlineError('USAGE', `${REFUSED[checked.is](checked)} Nothing was done.`);
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
    return 'Nothing was done: the approval changed after it was shown. Run the command again.';
  return refusedWords(answered);
}

/** Which approval is meant, and the digest that the person saw. */
type ApprovalChoice = { approval?: string; digest?: string };

/**
 * The portfolio's approval that is meant: the only one that waits, or the one that is named. Shows those between which to choose.
 *
 * @throws LimitlineError `NOT_FOUND` where none waits, or not this one; `USAGE` where several wait, or its digest differs
 */
async function chooseApproval(
  portfolio: string,
  { approval: id, digest }: ApprovalChoice,
  { waiting, currencyOf }: { waiting: readonly Approval[]; currencyOf: ReturnType<typeof makeApprovalCurrency> },
  { say }: Pick<Terminal, 'say'>,
): Promise<Approval> {
  const meant = id === undefined ? waiting : waiting.filter((one) => one.id === id);
  const [only, ...others] = meant;
  if (!only) {
    const named = id === undefined ? 'Nothing' : `No approval ${id}`;
    const message = `${named} of portfolio "${portfolio}" waits for approval. ${listed(portfolio, waiting)}`;
    throw new LimitlineError('NOT_FOUND', message);
  }
  if (others.length > 0) {
    for (const one of meant) say(waitingWords(one, { currency: await currencyOf(one) }));
    const words = `Several approvals of portfolio "${portfolio}" wait: name one by --approval, such as --approval ${only.id}. Nothing was done.`;
    throw new LimitlineError('USAGE', words);
  }
  if (digest !== undefined && digest !== only.digest) {
    say(waitingWords(only, { currency: await currencyOf(only) }));
    const fault = `The approval is no longer what was looked at: its digest is ${only.digest}. Look at the approval again. Nothing was done.`;
    throw new LimitlineError('USAGE', fault);
  }
  return only;
}

function listed(portfolio: string, waiting: readonly Approval[]): string {
  return waiting.length === 0
    ? `To see how its rows are, run: npx limitline report "${portfolio}"`
    : `Those that do: ${waiting.map(({ id }) => id).join(', ')}.`;
}

/** The parts of `context.people` that identify a person. */
type KnowsPeople = {
  required: () => Promise<boolean>;
  users: { read: (name: string) => Promise<unknown> };
  check: People['check'];
};

type Checked = Awaited<ReturnType<People['check']>>;

const REFUSED: Readonly<Record<Exclude<Checked['is'], 'ok'>, (checked: Checked) => string>> = {
  no: () => 'The name, the password or the code is wrong. Each code is good once: wait for the next one.',
  owes: () =>
    'This user has to sign in at the console first: a password must be chosen, or a second factor be set up there.',
  busy: () => 'Too many people are signing in: try again in a moment.',
  later: (checked) => `Too many wrong tries: again in ${'afterS' in checked ? checked.afterS : 60} seconds.`,
};

async function askSecrets(name: string): Promise<{ password: string; code: string }> {
  if (!canAsk()) {
    const message =
      'There is no terminal to ask for the password on: give it by --password-stdin, two lines, the password and the code.';
    throw new LimitlineError('USAGE', message);
  }
  const password = await askSecret(`Password of ${name}: `);
  const code = password === undefined ? undefined : await askSecret('Code of the second factor: ');
  if (password === undefined || code === undefined) throw new LimitlineError('USAGE', 'Given up. Nothing was done.');
  return { password, code: code.trim() };
}

/** The most bytes of standard input: a larger input is no password and code. */
const LONGEST_INPUT = 4_096;

async function readSecrets(): Promise<{ password: string; code: string }> {
  const [password = '', code = ''] = (await linesOfInput(LONGEST_INPUT)) ?? [];
  if (password === '' || code.trim() === '') {
    const message = 'Standard input must have two lines: the password, and the code. Nothing was done.';
    throw new LimitlineError('USAGE', message);
  }
  return { password, code: code.trim() };
}
