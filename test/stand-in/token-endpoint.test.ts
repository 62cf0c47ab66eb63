import { expect, test } from 'vitest';
import { SERVICE_PATHS } from '../../src/service/paths.ts';
import { openStandIn, TOKEN_FORM } from '../support/service-caller.ts';

test('valid credentials get a new token each time', async () => {
  const { caller } = await openStandIn();
  const first = await caller.askToken();
  expect(first.status).toBe(200);
  expect(first.json()).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 3_600 });
  expect((await caller.askToken()).json().access_token).not.toBe(first.json().access_token);
});

test.each([
  ['another grant type', { grant_type: 'password' }, 400, 'invalid_request'],
  ['an unknown client', { client_id: 'somebody' }, 401, 'invalid_client'],
  ['a wrong secret', { client_secret: 'guess' }, 401, 'invalid_client'],
])('credentials with %s are refused', async (_name, fields, status, error) => {
  const { standIn, caller } = await openStandIn();
  const answer = await caller.askToken(fields);
  expect(answer).toMatchObject({ status });
  expect(answer.json().error).toBe(error);
  expect(standIn.counts().requests.token).toEqual({ [status]: 1 });
});

test.each([
  ['JSON', 'application/json', JSON.stringify(TOKEN_FORM), 415],
  ['a form with another content type', 'text/plain', new URLSearchParams(TOKEN_FORM).toString(), 415],
  ['a form without the secret', 'application/x-www-form-urlencoded', 'grant_type=client_credentials&client_id=a', 400],
  ['a field given twice', 'application/x-www-form-urlencoded', `${new URLSearchParams(TOKEN_FORM)}&client_id=a`, 400],
])('a body with %s is refused', async (_name, contentType, body, status) => {
  const { caller } = await openStandIn();
  const answer = await caller.send(SERVICE_PATHS.token, { headers: { 'content-type': contentType }, body });
  expect(answer.status).toBe(status);
});

test('a request with an Authorization header is refused', async () => {
  const { caller } = await openStandIn();
  expect((await caller.askToken({}, { authorization: 'Bearer old' })).status).toBe(400);
});

test('the token has the fields of the fault settings', async () => {
  const { caller } = await openStandIn({ faults: { tokens: { field: 'jwt', lifetimeS: null } } });
  expect((await caller.askToken()).json()).toEqual({ jwt: expect.any(String), token_type: 'Bearer' });
});
