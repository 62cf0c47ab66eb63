import { expect, test } from 'vitest';
import { commandLineActor } from '../../src/actor.ts';
import { readExportLine } from '../../src/audit/entry.ts';
import { makeVerifier } from '../../src/audit/verify.ts';
import { openConsole, openDesk } from '../support/desk.ts';

const ANN = { by: 'ann', what: 'rows retried', from: '10.0.0.7', about: 'q4' };

test('the audit page shows the newest entries with author, action, subject, address and facts, and links to older ones', async () => {
  const { context, get } = await openConsole(await openDesk(1));
  await context.audit.around(
    { ...ANN, facts: { cause: 'k3f9' } },
    async () => 41,
    (rows) => ({ rows }),
  );
  for (let number = 0; number < 60; number += 1) await context.audit.note({ ...ANN, by: 'ben', what: 'session begun' });
  const first = (await get('/audit')).text;
  expect(first).toContain('50 of 63 entries');
  expect(first).not.toContain('k3f9');
  const [, next = ''] = /href="([^"]*)" rel="next"/.exec(first) ?? [];
  const second = (await get(next)).text;
  for (const words of ['ann', 'rows retried', '10.0.0.7', 'k3f9', '&quot;rows&quot;: 41', 'done, see ']) {
    expect(second).toContain(words);
  }
  expect(second).not.toContain('rel="next"');
  expect(second).toContain('To the first');
});

test('entries are found by author, action, subject and day, and a long search offers to continue', async () => {
  const { context, get } = await openConsole(await openDesk(1));
  await context.audit.note({ ...ANN, by: 'Ann Smith', about: 'old' });
  await Promise.all(
    Array.from({ length: 5_010 }, () => context.audit.note({ ...ANN, by: 'ben', what: 'session begun' })),
  );
  const far = (await get('/audit?by=ann+smi')).text;
  expect(far).toContain('None found so far.');
  const [, next = ''] = /href="([^"]*)" rel="next"/.exec(far) ?? [];
  expect((await get(next.replaceAll('&amp;', '&'))).text).toContain('old');
  expect((await get('/audit?what=SESSION&about=q4')).text).toContain('50 entries shown');
  expect((await get('/audit?what=nothing+of+this&before=100')).text).toContain('No entry matches.');
  expect((await get('/audit?day=2020-01-01')).text).toContain('No entry matches.');
  // The day of the trail’s clock counts, because midnight may have passed.
  const [entry] = (await context.audit.read.page({ count: 1, walk: 1 })).entries;
  const day = new Date(entry?.atMs ?? 0).toISOString().slice(0, 10);
  expect((await get(`/audit?day=${day}`)).text).toMatch(/\d+ entr(?:y|ies) shown/);
});

test('audit entries are shown as text, and an invalid query is answered with status 200', async () => {
  const { context, get } = await openConsole(await openDesk(1));
  await context.audit.note({
    by: '<script>alert(1)</script>',
    what: 'sign-in refused',
    from: '"><img src=x>',
    facts: { '</pre><b>': '<i>' },
  });
  const { text } = await get('/audit');
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(text).not.toMatch(/<script>alert|<img|<i>|<b>/);
  for (const query of [
    'before=0',
    'before=x',
    'before=1&before=2',
    'day=2026-99-99',
    `by=${'a'.repeat(5_000)}`,
    'what[]=x',
  ]) {
    expect((await get(`/audit?${query}`)).status).toBe(200);
  }
  expect((await get('/audit?day=yesterday')).text).toContain('Write it as 2026-11-22.');
});

test('the trail is downloaded as NDJSON that is verified without Redis, and the export is recorded', async () => {
  const { context, open } = await openConsole(await openDesk(1));
  for (let number = 0; number < 3; number += 1) await context.audit.note(ANN);
  const response = await open('/audit/export');
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.ndjson"/);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('content-type')).toContain('application/x-ndjson');
  const lines = (await response.text()).trimEnd().split('\n');
  const verifier = makeVerifier({ chain: await context.audit.chain() });
  for (const line of lines) verifier.add(readExportLine(line) ?? { text: '', link: '' });
  expect(verifier.end()).toMatchObject({ entries: 5, broken: undefined });
  expect(JSON.parse(lines[4] ?? '')).toMatchObject({
    by: commandLineActor(),
    what: 'audit trail exported',
    from: '127.0.0.1',
    is: 'begun',
  });
});
