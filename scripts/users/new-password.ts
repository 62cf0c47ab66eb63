import { LimitlineError } from '../../src/errors.ts';
import { makeInitialPassword, passwordFault } from '../../src/people/passwords/password-rules.ts';
import { askSecret, canAsk, linesOfInput } from '../terminal/ask.ts';

/** A new password; `isMade` if it was generated and must be shown. */
export type NewPassword = { password: string; isMade: boolean };

/** How often a password is asked for; after that, a person should read the rules first. */
const TRIES = 5;

/** The most bytes of standard input: a larger input is no password. */
const MAX_INPUT_BYTES = 8_192;

/**
 * Gets a new password: from standard input if requested, else from the terminal, asked for twice; without a terminal it is
 * generated.
 *
 * @throws LimitlineError `USAGE` where none is given or it breaks the rules
 */
export async function readNewPassword(
  { name, passwordStdin = false }: { name: string; passwordStdin?: boolean | undefined },
  say: (text: string) => void,
): Promise<NewPassword> {
  if (passwordStdin) return { password: needFit(await firstLineOfInput(), name), isMade: false };
  if (!canAsk()) return { password: makeInitialPassword(), isMade: true };
  for (let tries = 0; tries < TRIES; tries += 1) {
    const password = await askOrEnd(`Password for ${name} (12 characters or more, nothing is shown): `);
    const fault = passwordFault(password, name);
    if (fault !== undefined) say(`limitline: ${fault}`);
    else if ((await askOrEnd('The same again: ')) === password) return { password, isMade: false };
    else say('limitline: The two passwords differ.');
  }
  throw new LimitlineError('USAGE', 'No password was chosen; nothing was done.');
}

async function askOrEnd(question: string): Promise<string> {
  const answer = await askSecret(question);
  if (answer === undefined) throw new LimitlineError('USAGE', 'Given up; nothing was done.');
  return answer;
}

function needFit(password: string, name: string): string {
  const fault = passwordFault(password, name);
  if (fault === undefined) return password;
  throw new LimitlineError('USAGE', `${fault} Nothing was done.`);
}

async function firstLineOfInput(): Promise<string> {
  const lines = await linesOfInput(MAX_INPUT_BYTES);
  const [password = '', ...rest] = lines ?? [];
  if (!lines || rest.some((line) => line !== '')) {
    throw new LimitlineError('USAGE', 'Standard input must have one line, the password. Nothing was done.');
  }
  return password;
}
