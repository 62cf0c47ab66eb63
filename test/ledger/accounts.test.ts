import { expect, test } from 'vitest';
import { FORMAT, faultOf, type Login, makeAccounts } from '../../src/ledger/accounts.ts';
import { makeKeys, makeSharedKeys } from '../../src/ledger/keys.ts';
import { connectRedis, freshPrefix } from '../support/ledger.ts';

const login: Login = {
  account: 'https://api.example',
  named: false,
  clientId: 'id-1',
  address: 'https://api.example',
  anyone: false,
};
const KNOWN = [
  { name: 'https://api.example', clients: ['id-1'], addresses: ['https://api.example'] },
  { name: 'tenant-2', clients: ['id-2'], addresses: ['https://api.example'] },
  { name: 'empty', clients: [], addresses: [] },
];

test.each<[string, Partial<Login>, RegExp | undefined]>([
  ['the one it was used with', {}, undefined],
  ['a client id that is new to it', { clientId: 'id-3' }, /"id-3" is new to account https:\/\/api\.example/],
  ["another tenant's at the same address", { clientId: 'id-2' }, /"id-2" is new to account/],
  ['new credentials, once the account is named', { clientId: 'id-3', named: true }, undefined],
  ['another tenant, once its account is named', { account: 'tenant-3', clientId: 'id-3', named: true }, undefined],
  [
    'a known client id at a new address',
    { account: 'https://b', address: 'https://b' },
    /SERVICE_ACCOUNT=https:\/\/api/,
  ],
  ['the service has moved, and the account is named', { address: 'https://b', named: true }, undefined],
  ['both are new to a named account', { clientId: 'x', address: 'https://b', named: true }, /never with https:\/\/b/],
  ['another service and other credentials', { account: 'https://b', address: 'https://b', clientId: 'x' }, undefined],
  [
    "the stand-in's credentials in an account that is somebody's",
    { named: true, anyone: true, clientId: 'limitline-sandbox', address: 'https://s' },
    /never/,
  ],
  [
    'an account that nobody has logged in to yet',
    { account: 'empty', clientId: 'x', address: 'https://b', named: true },
    undefined,
  ],
])('tells which account is meant: %s', (_case, change, fault) => {
  const found = faultOf({ ...login, ...change }, KNOWN);
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(fault);
});

function openAccounts(prefix = freshPrefix()) {
  const connection = connectRedis();
  const keys = makeSharedKeys(prefix);
  return { connection, keys, prefix, accounts: makeAccounts({ connection, keys, prefix }) };
}

test('remembers with which client ids and addresses an account was used', async () => {
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

test("asks nobody who they are where the credentials are the stand-in's", async () => {
  const { accounts } = openAccounts();
  await accounts.enter({ ...login, account: 'stand-in', address: 'stand-in', anyone: true });
  await accounts.check({ ...login, account: 'stand-in', clientId: 'another', anyone: true });
  expect(await accounts.known()).toEqual([{ name: 'stand-in', clients: [], addresses: [] }]);
});

test('refuses data of another format, and such as has none', async () => {
  const one = openAccounts();
  await one.accounts.checkFormat('Redis here');
  await one.accounts.enter(login);
  await one.accounts.checkFormat('Redis here');
  expect(await one.connection.get(one.keys.format)).toBe(FORMAT);
  await one.connection.set(one.keys.format, '7');
  await expect(one.accounts.checkFormat('Redis here')).rejects.toThrow(/Redis here holds data of format 7/);

  const older = openAccounts();
  await older.connection.zadd(`{${older.prefix}}:portfolios`, '1', 'q4');
  await expect(older.accounts.checkFormat('Redis here')).rejects.toThrow(/format 0/);
});

test('lets two client ids that come at the same moment not both into one account', async () => {
  const { accounts } = openAccounts();
  const entered = await Promise.allSettled(['id-1', 'id-2'].map((clientId) => accounts.enter({ ...login, clientId })));
  const [known] = await accounts.known();
  expect(known?.clients.length).toBeLessThan(2);
  expect(entered.filter(({ status }) => status === 'fulfilled').length).toBeLessThan(2);
});

test('finds the accounts that have a portfolio', async () => {
  const { connection, accounts, prefix } = openAccounts();
  for (const name of ['a', 'b']) await accounts.enter({ ...login, account: name, anyone: true });
  await connection.zadd(makeKeys(prefix, 'b').portfolios, '1', 'q4');
  expect(await accounts.having('q4')).toEqual(['b']);
});

test("no account's name can reach into another's keys", () => {
  const keys = makeKeys('p', 'a:b}{c');
  expect(keys.account).toBe('{p:a%3Ab%7D%7Bc}:account');
  expect(keys.queuePrefix('companies')).toBe('{p:a%3Ab%7D%7Bc:companies}');
});
