import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openConsole, openDesk, plainText } from '../../support/desk.ts';
import { buyerLines } from '../../support/workplace.ts';

const namesIn = (markup: string) =>
  [
    ...markup
      .slice(markup.indexOf('id="portfolios-list"') + 1)
      .matchAll(/<a href="\/portfolios\/[^"]*"><bdi>([^<]*)<\/bdi>/g),
  ].map(([, name]) => name);

test('the first page of an account without portfolios says how to begin', async () => {
  const { get } = await openConsole(await openDesk(0));
  const { status, text } = await get('/');
  expect(status).toBe(200);
  expect(text).toContain('Nothing was imported yet.');
  expect(text).toContain('href="/new"');
  expect(text).toContain('npm start');
  expect(text).toContain('data-events="/newest/events"');
});

test('each portfolio is listed with its file, importer, sums and what it waits for', async () => {
  const desk = await openDesk(2);
  await desk.limitline('run', 'q4.csv', '--yes');
  const name = `<img src=x onerror=alert(1)>.csv`;
  await writeFile(join(desk.cwd, name), `${buyerLines(3).join('\n')}\n`);
  await desk.limitline('import', name, '--portfolio', 'Later one', '--yes');
  await desk.limitline('pause', 'Later one');
  const { get } = await openConsole(desk);
  const { text } = await get('/');
  expect(namesIn(text)).toEqual(['Later one', 'q4']);
  expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;.csv');
  expect(text).not.toContain('<img');
  expect(text).toContain('2 portfolios in this account');
  expect(text).toMatch(/>command line \([^)]+\)</);
  // The first portfolio has three requests without a grant, the second has two approved ones.
  expect(text).toContain('>3,007.50<');
  expect(text).toContain('>2,004.00<');
  expect(text).toMatch(/class="wait is-warn">Paused</);
  expect(text).toMatch(/class="wait">finished</);
  expect(text).toContain('Rows of q4 by outcome: 2 approved');
});

// Promises: tasks-lead-to-where-done, first-page-what-waits
test('tasks are listed first, each with its amount and a link, and are updated live', async () => {
  const desk = await openDesk(
    0,
    {
      rules: [
        { on: 'company', match: 'Buyer 1 ', fault: 'status', status: 400 },
        { on: 'limit', match: 'HRB 2"', fault: 'reset', made: true },
      ],
    },
    { APPROVE_ABOVE: '100000' },
  );
  const { get } = await openConsole(desk);
  const needs = async () => /<section[^>]*needs-you-title.*?<\/section>/s.exec((await get('/')).text)?.[0] ?? '';
  const words = async () => plainText(await needs());
  await writeFile(
    join(desk.cwd, 'q4.csv'),
    `${buyerLines(3)
      .join('\n')
      .replace(/,[^,\n]*$/, ',100001')}\n`,
  );
  expect(await needs()).toBe('');
  await writeFile(join(desk.cwd, 'q5.csv'), `${buyerLines(4).join('\n').replace('DE,HRB 3', 'Nowhere,HRB 3')}\n`);
  await desk.limitline('run', 'q5.csv', '--yes', '--no-results');
  await desk.limitline('import', 'q4.csv', '--yes');
  expect(await words()).toMatch(
    /1 request needs an answer .* 1,002\.50 .* Answer 1 line to fix , 1 rejected by the service in q5 2,005\.00 20\d\d-\d\d-\d\d \d\d:\d\d File to correct/,
  );
  expect((await get('/')).text.split('For colleagues')[1]).toContain('for a colleague’s approval');
  expect(await needs()).toContain('href="/portfolios/q5/downloads/errors.csv"');
  const { fragments } = JSON.parse((await get('/newest/events')).text);
  const htmlOf = (one: string) => fragments.find(({ id }: { id: string }) => id === one)?.html;
  expect(htmlOf('needs-you')).toContain('1 request needs an answer');
  expect([htmlOf('held-count'), htmlOf('approvals-count')]).toEqual(Array(2).fill(expect.stringContaining('>1<')));
  expect((await get('/?text=q5')).text).not.toContain('needs-you');
});

test('portfolios are found by a part of their name, and the next page continues after the last one', async () => {
  const desk = await openDesk(0);
  const { get, context } = await openConsole(desk);
  for (let at = 0; at < 45; at += 1) {
    const run = await context.portfolios.startImport(`run ${at}`, { id: 'i', fileName: 'f.csv', reading: '{}' });
    await run.end();
  }
  const first = await get('/');
  expect(namesIn(first.text).length).toBe(25);
  const { fragments } = JSON.parse((await get('/newest/events')).text);
  const list = fragments.find(({ id }: { id: string }) => id === 'portfolios-list');
  expect(namesIn(list.html)).toEqual(namesIn(first.text));
  const next = /href="([^"]*)" rel="next"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  await (await context.portfolios.startImport('newer', { id: 'i', fileName: 'f.csv', reading: '{}' })).end();
  const second = await get(next);
  expect(new Set([...namesIn(first.text), ...namesIn(second.text)]).size).toBe(45);
  expect(namesIn(second.text)).not.toContain('newer');
  // A list that somebody searched or paged is not updated live.
  expect(second.text).not.toContain('/newest/events');
  expect(namesIn((await get('/?text=NEW')).text)).toEqual(['newer']);
  const none = await get('/?text=%22%3E%3Cb%3E');
  expect(none.text).toContain('No portfolio found.');
  expect(none.text).not.toContain('<b>');
  expect((await get('/?after=nonsense&text=a&text=b')).status).toBe(200);
});
