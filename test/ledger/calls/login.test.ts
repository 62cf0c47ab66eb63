import { expect, test } from 'vitest';
import { faultOf, type Login } from '../../../src/ledger/calls/accounts.ts';

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

// Promise: new-client-id-stops
test.each<[string, Partial<Login>, RegExp | undefined]>([
  ['a login with which the account was used before is accepted', {}, undefined],
  [
    'a client id that is new to the account is refused',
    { clientId: 'id-3' },
    /"id-3" is new to account https:\/\/api\.example/,
  ],
  ["another tenant's client id at the same address is refused", { clientId: 'id-2' }, /"id-2" is new to account/],
  ['new credentials are accepted once the account is named', { clientId: 'id-3', named: true }, undefined],
  [
    'another tenant is accepted once its account is named',
    { account: 'tenant-3', clientId: 'id-3', named: true },
    undefined,
  ],
  [
    'a known client id at a new address is refused',
    { account: 'https://b', address: 'https://b' },
    /SERVICE_ACCOUNT=https:\/\/api/,
  ],
  ['a service that has moved is accepted once the account is named', { address: 'https://b', named: true }, undefined],
  [
    'an address and a client id that are both new to a named account are refused',
    { clientId: 'x', address: 'https://b', named: true },
    /never with https:\/\/b/,
  ],
  [
    'another service with other credentials is accepted as an account of its own',
    { account: 'https://b', address: 'https://b', clientId: 'x' },
    undefined,
  ],
  [
    "the stand-in's credentials are refused in an account with known client ids",
    { named: true, anyone: true, clientId: 'limitline-sandbox', address: 'https://s' },
    /never/,
  ],
  [
    'an account that nobody has used yet accepts any login',
    { account: 'empty', clientId: 'x', address: 'https://b', named: true },
    undefined,
  ],
])('%s', (_case, change, fault) => {
  const found = faultOf({ ...login, ...change }, KNOWN);
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(fault);
});
