import type { Command } from 'commander';
import type { Context } from '../../src/context.ts';
import { counted } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import { makeInitialPassword, passwordFault } from '../../src/people/passwords/password-rules.ts';
import type { People, SessionView, UserView } from '../../src/people/people.ts';
import { ROLES } from '../../src/people/person.ts';
import { needRoles, needUserName } from '../../src/people/users/user.ts';
import type { Users } from '../../src/people/users/users.ts';
import { minuteZ } from '../../src/utc-text.ts';
import { withContext } from '../opening/on-portfolio.ts';
import { askSecret, canAsk, linesOfInput, type Terminal } from '../terminal/terminal.ts';

type PasswordOptions = { passwordStdin?: boolean; own?: boolean };

const ROLES_WORDS = `what they may do, separated by commas: ${ROLES.join(', ')}`;
const STDIN_WORDS = 'read the password from standard input, one line';
const OWN_WORDS = 'the password is typed by the user, and need not be changed at the first sign-in';

/** `limitline user …`: manages the console's users and their roles. */
export function register(program: Command, terminal: Terminal): void {
  const user = program.command('user');
  user
    .command('add')
    .argument('<name>', 'up to 40 of a-z, 0-9, dot, hyphen and underscore')
    .requiredOption('--roles <roles>', ROLES_WORDS, splitRoles)
    .option('--password-stdin', STDIN_WORDS)
    .option('--own', OWN_WORDS)
    .description('add a user; without a terminal a password for the first sign-in is made, and printed once')
    .action((name: string, options: PasswordOptions & { roles: string[] }) => add(name, options, terminal));
  user
    .command('password')
    .argument('<name>')
    .option('--password-stdin', STDIN_WORDS)
    .option('--own', OWN_WORDS)
    .description("set a user's password, which ends all sessions of the user")
    .action((name: string, options: PasswordOptions) => setPassword(name, options, terminal));
  user
    .command('roles')
    .argument('<name>')
    .requiredOption('--roles <roles>', ROLES_WORDS, splitRoles)
    .description('give a user other roles, which ends all sessions of the user')
    .action((name: string, { roles }: { roles: string[] }) => setRoles(name, roles, terminal));
  user
    .command('remove')
    .argument('<name>')
    .description('remove a user, and end all sessions of the user')
    .action((name: string) => remove(name, terminal));
  user
    .command('factor')
    .argument('<name>')
    .requiredOption('--reset', 'take the second factor and its recovery codes away; the next sign-in sets up another')
    .description("reset a user's second factor, when both the telephone and the recovery codes are lost")
    .action((name: string) => resetFactor(name, terminal));
  user
    .command('sessions')
    .argument(
      '<name>',
      'a user, or somebody of an identity provider as lists show them: "ann@example.com (sso 4f6d2a)"',
    )
    .option('--end', 'end all sessions of this person, on all hosts')
    .description('list where somebody is signed in, or end these sessions')
    .action((name: string, { end = false }: { end?: boolean }) => sessions(name, end, terminal));
  user
    .command('list')
    .option('--text <text>', 'only names that contain this')
    .description('all users in the order of the alphabet')
    .action(({ text }: { text?: string }) => withContext((context) => list(context, text, terminal)));
}

/** The audit option of commands whose whole answer is recorded, because it contains no secret. */
const AS_TOLD = { facts: (answer: Readonly<Record<string, unknown>>) => answer };

const splitRoles = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

async function add(name: string, options: PasswordOptions & { roles: string[] }, terminal: Terminal): Promise<void> {
  // Arguments are checked before a password is asked for.
  needUserName(name);
  const roles = needRoles(options.roles);
  const made = await readNewPassword({ name, passwordStdin: options.passwordStdin }, terminal.say);
  const mustChange = made.isMade || options.own !== true;
  await withContext(async ({ people }) => {
    const isFirst = (await people.users.count()) === 0;
    await people.users.add({ name, roles, password: made.password, mustChange });
    const words = [
      `User ${name} may sign in to the console, as ${roles.join(', ')}.`,
      ...passwordWords(made, mustChange),
    ];
    if (isFirst) words.push('From now on the console asks everybody who they are.');
    await printUser(words, { name, made, people }, terminal);
    return { after: roles, mustChange };
  }, AS_TOLD);
}

async function setPassword(name: string, { passwordStdin, own }: PasswordOptions, terminal: Terminal): Promise<void> {
  const made = await readNewPassword({ name, passwordStdin }, terminal.say);
  const mustChange = made.isMade || own !== true;
  await withContext(async ({ people }) => {
    await people.users.setPassword(name, made.password, { mustChange });
    const words = [
      `User ${name} has another password, and is signed out everywhere.`,
      ...passwordWords(made, mustChange),
    ];
    await printUser(words, { name, made, people }, terminal);
    return { mustChange };
  }, AS_TOLD);
}

type Printed = { name: string; made: NewPassword; people: Context['people'] };

async function printUser(words: readonly string[], { name, made, people }: Printed, terminal: Terminal): Promise<void> {
  const password = made.isMade ? { password: made.password } : {};
  terminal.print(words.join('\n'), { ...(await viewOf(name, people)), ...password });
}

function passwordWords({ password, isMade }: NewPassword, mustChange: boolean): string[] {
  if (!mustChange) return [];
  const first = isMade ? [`The password for the first sign-in is shown only now: ${password}`] : [];
  return [...first, 'It is good for 72 hours, and at the first sign-in another is chosen in its place.'];
}

async function setRoles(name: string, wanted: readonly string[], terminal: Terminal): Promise<void> {
  const roles = needRoles(wanted);
  await withContext(async ({ people }) => {
    const before = (await people.users.read(name))?.roles;
    await people.users.setRoles(name, roles, { evenLast: true });
    const words = [`User ${name} is ${roles.join(', ')} from now on, and is signed out everywhere.`];
    terminal.print([...words, ...(await lastWords(people))].join('\n'), await viewOf(name, people));
    return { before, after: roles };
  }, AS_TOLD);
}

async function remove(name: string, terminal: Terminal): Promise<void> {
  await withContext(async ({ people }) => {
    const before = (await people.users.read(name))?.roles;
    await people.users.remove(name, { evenLast: true });
    const words = [`User ${name} is removed, and signed out everywhere.`, ...(await lastWords(people))];
    const users = await people.users.count();
    terminal.print(words.join('\n'), { name, removed: true, users });
    return { before, users };
  }, AS_TOLD);
}

async function resetFactor(name: string, terminal: Terminal): Promise<void> {
  await withContext(async ({ people }) => {
    await people.users.resetFactor(name);
    const words = `User ${name} has no second factor any more, and is signed out everywhere; the next sign-in sets up another.`;
    terminal.print(words, await viewOf(name, people));
  });
}

async function sessions(name: string, end: boolean, terminal: Terminal): Promise<void> {
  await withContext(async ({ people }) => {
    const found = await people.sessions.list(name);
    if (found.length === 0 && (await people.users.read(name)) === undefined) {
      throw new LimitlineError('NOT_FOUND', `Nobody who is called ${JSON.stringify(name.slice(0, 120))} is signed in.`);
    }
    const ended = end ? await people.sessions.endAll(name) : 0;
    const words = end
      ? [`${name} is signed out everywhere: ${counted(ended, 'session')} ended.`]
      : found.length === 0
        ? [`${name} is not signed in.`]
        : found.map(sessionWords);
    terminal.print(words.join('\n'), { name, sessions: found.map(sessionJson), ended });
    return { ended };
  });
}

async function list({ people }: Context, text: string | undefined, terminal: Terminal): Promise<void> {
  const all: UserView[] = [];
  for await (const user of everyUser(people.users, text)) {
    if (terminal.json) all.push(user);
    terminal.answer(userWords(user));
  }
  if (terminal.json) return terminal.print('', { users: all.map(userJson) });
  if ((await people.users.count()) > 0) return;
  terminal.answer(
    'There is no user yet: the console answers on this machine alone, to whoever opens the link that it prints.',
  );
}

async function* everyUser(users: Users, text = ''): AsyncGenerator<UserView> {
  let after: string | undefined;
  do {
    const page = await users.list({ after, text });
    yield* page.users;
    after = page.next;
  } while (after !== undefined);
}

/** Warnings if no admin, or no user, is left. Unlike the console, the command line allows that. */
async function lastWords({ users }: People): Promise<string[]> {
  if ((await users.count()) === 0) {
    return [
      'There is no user any more: the console answers on this machine alone, to whoever opens the link that it prints.',
    ];
  }
  for await (const { roles } of everyUser(users)) if (roles.includes('admin')) return [];
  return ['Nobody is admin: only these commands can change users now.'];
}

async function viewOf(name: string, { users }: People) {
  const user = await users.read(name);
  if (user === undefined)
    throw new LimitlineError('NOT_FOUND', `User ${name} was removed by somebody else while this command ran.`);
  return userJson(user);
}

/** Column widths for 80 columns. Longer values shift the rest of their line. */
const [NAME_WIDTH, ROLES_WIDTH] = [20, 34];

function userWords({ name, roles, hasFactor, mustChange, lastSignInMs }: UserView): string {
  const notes = [
    hasFactor ? 'second factor' : 'no second factor',
    ...(mustChange ? ['must choose a password'] : []),
    // The time to the minute, in UTC as everywhere.
    lastSignInMs === undefined ? 'never signed in' : `last signed in ${minuteZ(lastSignInMs)}`,
  ];
  return `${name.padEnd(NAME_WIDTH)}  ${roles.join(', ').padEnd(ROLES_WIDTH)}  ${notes.join(', ')}`;
}

function userJson(user: UserView) {
  const { createdMs, lastSignInMs, ...rest } = user;
  const created = new Date(createdMs).toISOString();
  return { ...rest, created, lastSignIn: lastSignInMs === undefined ? null : new Date(lastSignInMs).toISOString() };
}

function sessionWords({ beganMs, seenMs, from, agent }: SessionView): string {
  // The browser's own text: may contain control characters.
  const said = agent.replace(/\p{C}/gu, ' ');
  return `from ${from}, since ${minuteZ(beganMs)}, last used ${minuteZ(seenMs)}${said === '' ? '' : `, ${said}`}`;
}

function sessionJson({ beganMs, seenMs, from, agent }: SessionView) {
  return { from, agent, began: new Date(beganMs).toISOString(), seen: new Date(seenMs).toISOString() };
}

/** A new password; `isMade` if it was generated and must be shown. */
type NewPassword = { password: string; isMade: boolean };

/** How often a password is asked for; after that, a person should read the rules first. */
const TRIES = 5;

/** The most bytes of standard input: a larger input is no password. */
const MAX_INPUT_BYTES = 8_192;

/**
 * Gets a new password: from standard input if requested, else from the terminal, asked for twice; without a terminal it is generated.
 *
 * @throws LimitlineError `USAGE` where none is given or it breaks the rules
 */
async function readNewPassword(
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
