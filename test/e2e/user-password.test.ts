import { expect, test } from 'vitest';
import { KEYS, startOnTerminal } from '../support/command.ts';
import { freshPrefix } from '../support/ledger.ts';
import { openPeople, SECRET } from '../support/people.ts';
import { redisUrl } from '../support/redis/own-database.ts';
import { makeFolder } from '../support/workplace.ts';

const WORDS = 'seven trees above a bench';

async function openTerminal(...args: string[]) {
  const [cwd, prefix] = [await makeFolder(), freshPrefix()];
  const env = { REDIS_URL: redisUrl(), LIMITLINE_PREFIX: prefix, LIMITLINE_DATA: cwd, LIMITLINE_SECRET: SECRET };
  const terminal = startOnTerminal(['user', ...args], { cwd, env });
  const asked = (question: RegExp, times = 1) =>
    expect.poll(() => terminal.shown().match(new RegExp(question, 'g'))?.length ?? 0).toBe(times);
  return { ...terminal, asked, opened: openPeople({ prefix }) };
}

test('user add asks twice for a password on the terminal, hides it, and repeats until it is acceptable', async () => {
  const { press, asked, ended, opened } = await openTerminal('add', 'alice', '--roles', 'viewer', '--own');
  await asked(/Password for alice/);
  press('limitline123\r');
  await asked(/little more than/);
  await asked(/Password for alice/, 2);
  press(`${WORDS}\r`);
  await asked(/The same again/);
  press(`${WORDS}!\r`);
  await asked(/two passwords differ/);
  await asked(/Password for alice/, 3);
  press(`${WORDS}\r`);
  await asked(/The same again/, 2);
  press(`${WORDS}\r`);
  const { status, shown } = await ended;
  expect(status).toBe(0);
  expect(shown).toMatch(/User alice may sign in/);
  expect(shown).not.toMatch(/seven|limitline123/);
  expect(await opened.signIn('alice', WORDS)).toMatchObject({ owes: undefined });
});

test('Ctrl-C at the question for a password adds no user', async () => {
  const { press, asked, ended, opened } = await openTerminal('add', 'alice', '--roles', 'viewer');
  await asked(/Password for alice/);
  press(KEYS.ctrlC);
  const { status, shown } = await ended;
  expect(status).toBe(1);
  expect(shown).toMatch(/Given up; nothing was done/);
  expect(await opened.people.users.count()).toBe(0);
});
