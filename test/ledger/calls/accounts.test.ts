import { expect, test } from 'vitest';
import { type Login, makeAccounts } from '../../../src/ledger/calls/accounts.ts';
import { makeKeys, makeSharedKeys } from '../../../src/ledger/schema/keys.ts';
import { FORMAT } from '../../../src/ledger-format.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { connectRedis, freshPrefix } from '../../support/ledger.ts';

const login: Login = {
  account: 'https://api.example',
  named: false,
  clientId: 'id-1',
  address: 'https://api.example',
  anyone: false,
};

function openAccounts(prefix = freshPrefix()) {
  const connection = connectRedis();
  const keys = makeSharedKeys(prefix);
  return { connection, keys, prefix, accounts: makeAccounts({ connection, keys, prefix }) };
}

test('an account remembers its client ids and addresses, and refuses a new client id', async () => {
  const { accounts } = openAccounts();
  await accounts.check(login);
  await accounts.enter(login);
  await accounts.enter({ ...login, named: true, clientId: 'id-9' });
  expect(await accounts.known()).toEqual([
    { name: login.account, clients: expect.arrayContaining(['id-1', 'id-9']), addresses: ['https://api.example'] },
  ]);
  await expect(accounts.check({ ...login, clientId: 'id-2' })).rejects.toThrow(/"id-2" is new/);
  await accounts.check(login);
});

test("the stand-in's account accepts any client id and remembers none", async () => {
  const { accounts } = openAccounts();
  await accounts.enter({ ...login, account: 'stand-in', address: 'stand-in', anyone: true });
  await accounts.check({ ...login, account: 'stand-in', clientId: 'another', anyone: true });
  expect(await accounts.known()).toEqual([{ name: 'stand-in', clients: [], addresses: [] }]);
});

// Promise: other-format-refused
test('data in another format, or without one, is refused', async () => {
  const one = openAccounts();
  await one.accounts.checkFormat('Redis here', makeSilentLog());
  await one.accounts.enter(login);
  await one.accounts.checkFormat('Redis here', makeSilentLog());
  expect(await one.connection.get(one.keys.format)).toBe(FORMAT);
  await one.connection.set(one.keys.format, '7');
  await expect(one.accounts.checkFormat('Redis here', makeSilentLog())).rejects.toThrow(
    /Redis here has data in format 7/,
  );

  const older = openAccounts();
  await older.connection.zadd(`{${older.prefix}}:portfolios`, '1', 'q4');
  await expect(older.accounts.checkFormat('Redis here', makeSilentLog())).rejects.toThrow(/format 0/);
});

// Promise: older-ledger-carried-over
test.each(['2', '3'])('data in an earlier format is accepted and gets the present format: %s', async (before) => {
  const { accounts, connection, keys } = openAccounts();
  await connection.set(keys.format, before);
  await accounts.checkFormat('Redis here', makeSilentLog());
  expect(await connection.get(keys.format)).toBe(FORMAT);
});

test('of two client ids that enter an account at the same moment, at most one is accepted', async () => {
  const { accounts } = openAccounts();
  const entered = await Promise.allSettled(['id-1', 'id-2'].map((clientId) => accounts.enter({ ...login, clientId })));
  const [known] = await accounts.known();
  expect(known?.clients.length).toBeLessThan(2);
  expect(entered.filter(({ status }) => status === 'fulfilled').length).toBeLessThan(2);
});

test('the accounts that have a portfolio of a given name are found', async () => {
  const { connection, accounts, prefix } = openAccounts();
  for (const name of ['a', 'b']) await accounts.enter({ ...login, account: name, anyone: true });
  await connection.zadd(makeKeys(prefix, 'b').portfolios, '1', 'q4');
  expect(await accounts.having('q4')).toEqual(['b']);
});
