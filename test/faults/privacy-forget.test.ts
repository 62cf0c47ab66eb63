import { expect, test } from 'vitest';
import { archivePortfolio } from '../../jobs/archive/archive-portfolio.ts';
import { forgetPortfolio } from '../../jobs/archive/forget-portfolio.ts';
import { filesBelow } from '../support/files-below.ts';
import { keyContents } from '../support/key-contents.ts';
import { MARK } from '../support/marked-file.ts';
import { markedFile, openMarkedPortfolio } from '../support/marked-portfolio.ts';

/** Waits that the service's faults cost, on a machine that has other things to do. */
const TIMEOUT_MS = 150_000;

const options = { by: 'anna', signal: new AbortController().signal };

// Promises: forget-leaves-no-person, forgotten-not-requested-twice
test(
  'a whole run, with all that can go wrong, leaves no person in Redis or the data folder once its portfolios are forgotten',
  async () => {
    const place = await openMarkedPortfolio();
    const { context, dataDir, standIn } = place;
    const workers = await place.work();
    await place.importText('zqxjv old.csv', markedFile(21, { n: 22, documents: 'zqxjv-1.pdf' }), 'old');
    await place.settled('old');
    await workers.stop();
    await archivePortfolio(context, 'old', options);
    const limits = await place.limitsOf('q4');
    const made = standIn.counts();

    // What is searched for is there before: else nothing would be proved by not finding it.
    const before = await look();
    expect(before.keys.length).toBeGreaterThan(20);
    expect(before.names()).toEqual(
      expect.arrayContaining([
        'archive',
        'documents',
        'done',
        'drafts',
        'imports',
        'mappings',
        'rejected',
        'reports',
        'results',
      ]),
    );
    await forgetPortfolio('q4', options, context);
    const ended = await forgetPortfolio('old', options, context);
    expect(ended.state).toMatchObject({ is: 'forgotten', states: { done: 2 } });
    const after = await look();
    expect(after.keys).toEqual([]);
    expect(after.files).toEqual([]);

    const report = await place.night('2026-11-24T01:30:00.000Z');
    expect(report).toMatchObject({ is: 'well' });
    await place.importText('zqxjv again.csv', markedFile(1, 3, 4, 9, 21, 22), 'again');
    expect((await place.report('again')).states).toMatchObject({ skipped: 6, awaiting: 0 });
    const again = await place.limitsOf('again');
    for (const [key, id] of again) if (limits.has(key)) expect(id).toBe(limits.get(key));
    expect(standIn.counts()).toEqual(made);

    async function look() {
      const isMarked = (text: string) => MARK.test(text);
      const keys = (await keyContents(context)).filter(({ key, value }) => isMarked(key) || isMarked(value));
      const folders = [...(await filesBelow(dataDir)), ...(await filesBelow(place.inbox))];
      const files = folders.filter(({ path, content }) => isMarked(path) || isMarked(content)).map(({ path }) => path);
      const names = () =>
        files.map((path) => path.replace(`${dataDir}/`, '').replace(`${place.inbox}/`, '').split('/')[0]);
      return { keys: keys.map(({ key }) => key), files, names };
    }
  },
  TIMEOUT_MS,
);
