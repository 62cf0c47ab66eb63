import { commandLineActor } from '../../src/actor.ts';
import type { Audit } from '../../src/audit/audit.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { Person } from '../../src/people/person.ts';
import { commandLineFrom } from '../audit/audit-command.ts';
import { canAsk } from '../terminal/ask.ts';
import { askSecret } from '../terminal/ask-secret.ts';

/** The parts of `context.people` that identify a person. */
type KnowsPeople = {
  required: () => Promise<boolean>;
  users: { read: (name: string) => Promise<unknown> };
  check: (given: { name: string; password: string; code: string; from: string }) => Promise<Checked>;
};

type Checked = { is: 'ok'; person: Person } | { is: 'no' | 'busy' | 'owes' } | { is: 'later'; afterS: number };

/**
 * Identifies who answers, by password and a code of the second factor, asked for without showing them, or read from standard
 * input, a line each. The system user's name alone proves nothing.
 *
 * @throws LimitlineError `USAGE` where there are no users or the proof is wrong; then nothing was done
 */
export async function whoAnswers(
  { as, portfolio, passwordStdin = false }: { as: string; portfolio: string; passwordStdin?: boolean | undefined },
  { people, audit }: { people: KnowsPeople; audit: Audit },
): Promise<Person> {
  if (!(await people.required())) {
    throw new LimitlineError(
      'USAGE',
      'Approval needs people who are known by name, and there are none yet. Add one who may approve: npx limitline user add NAME --roles approver',
    );
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

const REFUSED: Readonly<Record<Exclude<Checked['is'], 'ok'>, (checked: Checked) => string>> = {
  no: () => 'The name, the password or the code is wrong.',
  owes: () =>
    'This user has to sign in at the console first: a password must be chosen, or a second factor be set up there.',
  busy: () => 'Too many people sign in just now: try again in a moment.',
  later: (checked) => `Too many wrong tries: again in ${'afterS' in checked ? checked.afterS : 60} seconds.`,
};

async function askSecrets(name: string): Promise<{ password: string; code: string }> {
  if (!canAsk()) {
    throw new LimitlineError(
      'USAGE',
      'There is no terminal to ask for the password on: give it by --password-stdin, two lines, the password and the code.',
    );
  }
  const password = await askSecret(`Password of ${name}: `);
  const code = password === undefined ? undefined : await askSecret('Code of the second factor: ');
  if (password === undefined || code === undefined) throw new LimitlineError('USAGE', 'Given up. Nothing was done.');
  return { password, code: code.trim() };
}

/** Bytes. Larger input is no password and code. */
const LONGEST_INPUT = 4_096;

async function readSecrets(): Promise<{ password: string; code: string }> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of process.stdin) {
    pieces.push(Buffer.from(piece));
    size += piece.length;
    if (size > LONGEST_INPUT) break;
  }
  const [password = '', code = ''] = Buffer.concat(pieces).toString('utf8').split(/\r?\n/);
  if (size > LONGEST_INPUT || password === '' || code.trim() === '') {
    throw new LimitlineError(
      'USAGE',
      'Standard input must have two lines: the password, and the code. Nothing was done.',
    );
  }
  return { password, code: code.trim() };
}
