import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { filledBody, readSessionAnswer, readSessionFile } from '../../src/service/session-file.ts';
import { sessionPlace, writeSessionFile } from '../support/session-file.ts';
import { makeFolder } from '../support/workplace.ts';

// Promises: session-path-below-service, session-file-read-strictly
test.each<readonly [string, Record<string, unknown>, RegExp]>([
  ['names a place that does not exist', { body: { of: [sessionPlace('bayer')] } }, /there is no place \$\{bayer\}/],
  [
    'has a place for an address that it lacks',
    { body: { to: sessionPlace('return_url') }, return_url: undefined },
    /has a place for return_url/,
  ],
  [
    'has a place in the name of a field',
    { body: { of: [{ [sessionPlace('limit')]: 'x' }] } },
    /a place stands in the name of a field/,
  ],
  ['names a return address of another kind', { return_url: 'javascript:alert(1)' }, /must be an address/],
  ['names another method', { method: 'GET' }, /must be POST/],
  ['has a field that is not known', { headers: {} }, /headers/i],
  ['has a link that is no pointer', { link: 'url' }, /is no JSON pointer/],
  ['lacks the link', { link: undefined }, /link in it/],
  ...['/invoice-financing/v1/companies', '/invoice-financing/v1/documents', '/v1/auth/token'].map(
    (path) => [`calls ${path}`, { path }, /is the path of another call/] as const,
  ),
  [
    'calls a known path in other letters',
    { path: '/Invoice-Financing/v1/Buyer-Limits' },
    /is the path of another call/,
  ],
  ...[
    '//other.example/x',
    'https://other.example/x',
    '/a/../v1/auth/token',
    '/a//b',
    '/a/',
    '/a?b=c',
    '/a#b',
    '/a%2e%2e/b',
    '/a b',
    '/a\r\nHost: x',
    '/./a',
    '',
    '/a@b',
    '/\\other.example',
  ].map((path) => [`calls ${JSON.stringify(path)}`, { path }, /must be a path below SERVICE_URL/] as const),
])('a session file that %s is refused when settings are read', async (_what, change, fault) => {
  const path = await writeSessionFile(change);
  const { faults = [] } = { faults: undefined, ...readSessionFile(path) };
  expect(faults.join('; ')).toMatch(fault);
  const cwd = await makeFolder();
  expect(() => readSettings({ cwd, env: { SERVICE_SESSION_FILE: path, XDG_DATA_HOME: cwd } })).toThrow(
    /SERVICE_SESSION_FILE/,
  );
});

test('a session file that is missing or no JSON is refused', async () => {
  const path = join(await makeFolder(), 'session.json');
  expect(readSessionFile(path)).toMatchObject({ faults: [expect.stringContaining('cannot be read')] });
  await writeFile(path, '{');
  expect(readSessionFile(path)).toMatchObject({ faults: ['the file is no JSON'] });
});

test('a session file may begin with a byte order mark, which some editors write', async () => {
  const path = await writeSessionFile();
  const plain = readSessionFile(path);
  await writeFile(path, `\ufeff${await readFile(path, 'utf8')}`);
  expect(plain.faults).toBeUndefined();
  expect(readSessionFile(path)).toEqual(plain);
});

// Promise: session-file-read-strictly
test.each([
  [
    'a field named __proto__',
    (text: string) => text.replace('"body":{', '"body":{"x":{"__proto__":"limit"},'),
    /__proto__/,
  ],
  [
    'parts within each other without end',
    (text: string) => text.replace('"body":{', `"body":{"x":${'['.repeat(1e5)}${']'.repeat(1e5)},`),
    /within each other/,
  ],
])('a session file with %s is refused', async (_what, change, fault) => {
  const path = await writeSessionFile();
  await writeFile(path, change(await readFile(path, 'utf8')));
  expect(readSessionFile(path).faults?.join()).toMatch(fault);
});

// Promise: session-values-are-text
test('values are inserted as text, also with quotes, spaces and placeholders in them', () => {
  const odd = `company_ "}, ${sessionPlace('limit')} \\ $& '`;
  const body = filledBody(
    { ids: [sessionPlace('buyer'), { both: `${sessionPlace('buyer')}/${sessionPlace('limit')}` }], n: 1 },
    { buyer: odd, limit: 'bl_1' },
  );
  expect(body).toEqual({ ids: [odd, { both: `${odd}/bl_1` }], n: 1 });
  expect(JSON.parse(JSON.stringify(body))).toEqual(body);
});

test.each([
  ['no JSON', '<html>'],
  ['nothing at that place', '{"link":"https://a.example/"}'],
  ['a number', '{"data":{"link":7}}'],
  ['a space', '{"data":{"link":"https://a.example/ b"}}'],
  ['a line end', '{"data":{"link":"https://a.example/\\n"}}'],
  ['letters that only look alike', '{"data":{"link":"https://a\u0430.example/"}}'],
  ['another scheme', '{"data":{"link":"data:text/html,x"}}'],
  ['a formula', '{"data":{"link":"=HYPERLINK(1)"}}'],
  ['a text without end', JSON.stringify({ data: { link: `https://a.example/${'x'.repeat(3_000)}` } })],
])('an answer with %s in place of the link is unreadable, and nothing of it is repeated', (_what, text) => {
  const read = readSessionAnswer(text, { link: ['data', 'link'], ends: undefined });
  expect(read).toMatchObject({ is: 'unreadable' });
  expect(JSON.stringify(read)).not.toContain('example');
});
