import { expect, test } from 'vitest';
import { openByLink, openDesk, uploadTo } from '../support/desk.ts';
import { ECHOING_RULES, keyContents, MARK, MARKED_HEADER, markedLine } from '../support/key-contents.ts';
import { connectRedis } from '../support/ledger.ts';

/** Two processes, and waits that are caused by faults of the service. */
const TIMEOUT_MS = 300_000;

/** Keys of the ledger that may name people: rows with their stories, limit calls and buyers. */
const LEDGER = /:(?:row:q4:[\w-]+(?::story)?|call:limit:[\w-]+|buyer:[\w-]+)$/;

// Promise: log-names-nobody
test(
  'after a run in the console, only keys of rows, calls and buyers name a person, and no log, metric or job does',
  async () => {
    const place = await openPlace();
    const { location } = await uploadTo(place.visitor, [
      'file',
      'q4.csv',
      place.lines('1005.50,Zqxjvanna5', 'much,Zqxjvanna5'),
    ]);
    await place.visitor.get(location);
    await place.visitor.post(`${location}/mend`, { version: '1', list: 'problems', 'cell-6-4': '1005.50' });
    await place.visitor.post(`${location}/portfolio`, { portfolio: 'q4' });
    const page = await place.visitor.get(location);
    const of = /name="of" value="(\w+)"/.exec(page.text)?.[1] ?? '';
    expect((await place.visitor.post(`${location}/submit`, { of })).status).toBe(303);
    const report = () => place.json('report', 'q4');
    await expect.poll(async () => (await report()).states).toMatchObject({ done: 1, refused: 2, held: 2, queued: 0 });

    await place.lookAtEverything(location);
    const jobs = await place.keysOf(/:(?:companies|documents|buyer-limits)\}:/);
    expect(jobs.filter(({ key }) => /\}:5:[^:]+:q4\//.test(key)).length).toBeGreaterThan(1);
    expect(jobs.filter(({ key, value }) => MARK.test(key) || MARK.test(value))).toEqual([]);
    const rest = (await place.keysOf(/./)).filter(({ key }) => !LEDGER.test(key));
    expect(rest.length).toBeGreaterThan(20);
    expect(rest.filter(({ key, value }) => MARK.test(key) || MARK.test(value)).map(({ key }) => key)).toEqual([]);

    const said = place.said();
    expect(said).toContain('"route":"/portfolios/:name"');
    expect(said).toMatch(/"level":"(?:debug|trace)"/);
    expect(said.split('\n').filter((line) => MARK.test(line))).toEqual([]);
  },
  TIMEOUT_MS,
);

/** A worker and a console as processes with the most verbose log, and the metrics of both. */
async function openPlace() {
  const desk = await openDesk(
    1,
    { rules: ECHOING_RULES },
    { LOG_LEVEL: 'trace', QUEUE_BOARD: 'on', CONSOLE_PORT: '0', METRICS_PORT: '0' },
  );
  const commands = [desk.start('work'), desk.start('console', '--json')] as const;
  const [work, web] = commands;
  const addressIn = (text: string, field: RegExp) => /"(http[^"]+)"/.exec(text.slice(text.search(field)))?.[1] ?? '';
  await expect.poll(() => web.output().stdout).toContain('"url"');
  await expect.poll(() => work.output().stderr).toContain('"metrics":"http');
  const url = addressIn(web.output().stdout, /"url"/);
  const metrics = addressIn(work.output().stderr, /"metrics":"http/);
  const visitor = { url, ...(await openByLink(addressIn(web.output().stdout, /"link"/))) };
  const redis = connectRedis();
  return {
    json: desk.json,
    visitor,
    lines: (from: string, to: string) =>
      [MARKED_HEADER, ...[1, 2, 3, 4, 5].map(markedLine)].join('\n').replace(from, to),
    said: () => commands.map((command) => command.output().stderr).join('\n'),
    /** Requests pages, searches for people, failing actions, addresses with names, and metrics. */
    async lookAtEverything(location: string): Promise<void> {
      const { text } = await visitor.get('/portfolios/q4');
      const rows = [...text.matchAll(/href="(\/portfolios\/q4\/rows\/[^"]+)"/g)].map(([, path]) => path ?? '');
      expect(rows.length).toBeGreaterThan(4);
      const searches = [
        '/portfolios/q4?text=Zqxjvanna2',
        '/work?text=Zqxjvmann2',
        '/?text=Zqxjv',
        '/held',
        '/held/text',
      ];
      const files = ['/portfolios/q4/downloads/results.csv', '/portfolios/q4/downloads/original', `${location}/file`];
      const wrong = [
        '/portfolios/Zqxjvanna',
        '/portfolios/q4/rows/Zqxjv',
        '/Zqxjvmann?a=Zqxjvmann',
        '/%zqxjv',
        '/new/Zqxjv',
      ];
      for (const path of [...searches, ...files, ...wrong, ...rows]) await visitor.get(path);
      await visitor.post(`${rows[0]}/retry`, { made: 'Zqxjvanna' });
      await visitor.post('/work/retry', { portfolio: 'q4', key: 'none', zqxjv: 'Zqxjvanna' });
      await visitor.post('/portfolios/none/pause', { why: 'Zqxjvanna' });
      await visitor.post('/plans/none/confirm', { zqxjv: 'Zqxjvmann' });
      await visitor.get('/keys', { host: 'zqxjv.example', 'user-agent': 'Zqxjvanna', referer: `${url}/zqxjv` });
      for (const figures of [metrics, `${url}/metrics`]) {
        const answer = await (await fetch(figures)).text();
        expect(answer).toContain('limitline_rows{');
        expect(answer).not.toMatch(MARK);
      }
    },
    /** The keys of this prefix whose names match, with their contents. */
    async keysOf(like: RegExp): Promise<{ key: string; value: string }[]> {
      return (await keyContents({ ledger: redis, settings: desk.env })).filter(({ key }) => like.test(key));
    },
  };
}
