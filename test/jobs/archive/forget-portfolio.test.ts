import { mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { REST, ROWS } from '../../../jobs/archive/archive-files.ts';
import { archivePortfolio } from '../../../jobs/archive/archive-portfolio.ts';
import { FORGET_STEPS, type ForgetStep, forgetPortfolio } from '../../../jobs/archive/forget-portfolio.ts';
import { MANIFEST } from '../../../jobs/archive/manifest.ts';
import { restorePortfolio } from '../../../jobs/archive/restore-portfolio.ts';
import { toBuyer } from '../../../jobs/rows/buyer-record.ts';
import type { Context } from '../../../src/context.ts';
import { allEvents, eventOf } from '../../support/events.ts';
import { filesBelow } from '../../support/files-below.ts';
import { keyContents, MARK, MARKED_HEADER, markedLine } from '../../support/key-contents.ts';
import { pictureOf } from '../../support/redis-picture.ts';
import { openWorkplace } from '../../support/workplace.ts';

const options = { by: 'anna', signal: new AbortController().signal };

/** Portfolios whose rows are all finished. */
async function openWorked(portfolios: Record<string, string[]>) {
  const place = await openWorkplace();
  await mkdir(join(place.dir, 'documents'));
  await writeFile(join(place.dir, 'documents', 'a.pdf'), '%PDF-1.4 zqxjv');
  const workers = await place.work();
  for (const [portfolio, lines] of Object.entries(portfolios)) await place.import(lines, { portfolio });
  for (const portfolio of Object.keys(portfolios)) await place.settled(portfolio);
  await workers.stop();
  const dataDir = place.context.settings.LIMITLINE_DATA;
  return {
    ...place,
    dataDir,
    /** The keys and files that contain a marked text. */
    async marked(): Promise<string[]> {
      const keys = (await keyContents(place.context)).map(({ key, value }) => ({ path: key, content: value }));
      const found = [...keys, ...(await filesBelow(dataDir))];
      return found.filter(({ path, content }) => MARK.test(path) || MARK.test(content)).map(({ path }) => path);
    },
  };
}

const LINES = [MARKED_HEADER, ...[1, 2, 3].map(markedLine)];

/** Throws before a step, as a kill at that moment would end it. */
const killedAt = (moment: ForgetStep) => ({
  ...options,
  onProgress({ step }: { step: ForgetStep }) {
    if (step === moment) throw new Error('killed');
  },
});

// Promise: killed-forget-goes-on
test.each(['finished', 'archived'])(
  'forgetting a portfolio that is %s is resumed after a kill at any step, and imports are refused meanwhile',
  async (is) => {
    const place = await openWorked({ q4: LINES });
    const { context } = place;
    if (is === 'archived') await archivePortfolio(context, 'q4', options);
    for (const step of FORGET_STEPS) {
      await expect(forgetPortfolio('q4', killedAt(step), context)).rejects.toThrow('killed');
      await expect(place.import(LINES)).rejects.toThrow('q4 is being forgotten');
      expect(await context.archives.read('q4')).toMatchObject({ is: 'forgetting', states: { done: 3 } });
    }
    const ended = await forgetPortfolio('q4', options, context);
    expect(ended.state).toMatchObject({ is: 'forgotten', by: 'anna', requested: '3007.50', granted: '3007.50' });
    expect(await place.marked()).toEqual([]);
    expect(await context.portfolios.names()).toEqual([]);
    expect((await context.archives.list()).map(({ name }) => name)).toEqual(['q4']);
    expect(await forgetPortfolio('q4', options, context)).toMatchObject({ state: { is: 'forgotten' } });
    await expect(place.import(LINES)).rejects.toThrow('q4 was forgotten');
  },
);

test('incomplete earlier archives are deleted with a forgotten portfolio', async () => {
  const place = await openWorked({ q4: LINES });
  const { context } = place;
  const { folder } = await archivePortfolio(context, 'q4', options);
  await restorePortfolio(context, 'q4', options);
  await expect(forgetPortfolio('q4', killedAt('archives'), context)).rejects.toThrow('killed');
  await rename(folder, `${folder}.part`);
  await rm(join(`${folder}.part`, MANIFEST));
  await truncate(join(`${folder}.part`, ROWS), 20);
  await forgetPortfolio('q4', options, context);
  expect(await place.marked()).toEqual([]);
  expect((await filesBelow(join(place.dataDir, 'archive'))).length).toBe(0);
});

const SHARED_HEADER = 'name,country_code,city,company_registration_number,requested_limit,supporting_documents';

// Promise: shared-buyer-stays
test("shared buyers and documents keep the other portfolio's data until that is forgotten, too", async () => {
  const place = await openWorked({
    q4: [SHARED_HEADER, 'Zqxjv Stahl GmbH,DE,Zqxjvhausen,HRB 1,1000.50,a.pdf', 'Zqxjv Holz GmbH,DE,,HRB 2,1.50,'],
    q5: [SHARED_HEADER, 'ZQXJV STAHL GmbH,DE,Zqxjvdorf,HRB 1,2000.50,a.pdf'],
  });
  const { context } = place;
  const records = async () =>
    (await keyContents(context)).flatMap(({ key, value }) =>
      /:buyer:[\w-]{16}$/.test(key) ? [toBuyer(key.slice(-16), value)] : [],
    );
  const [before] = (await records()).filter(({ city }) => city !== '');
  expect(before).toMatchObject({ names: [{ written: 'Zqxjv Stahl GmbH' }], city: 'Zqxjvhausen' });
  const q5 = await pictureOfRows(context);

  const ended = await forgetPortfolio('q4', options, context);
  expect(ended).toMatchObject({ buyers: { forgotten: 1, shared: 1 }, files: { removed: 1, needed: 1 } });
  const [shared] = (await records()).filter(({ key }) => key === before?.key);
  expect(shared).toMatchObject({ names: [{ written: 'ZQXJV STAHL GmbH', alike: before?.names[0]?.alike }], city: '' });
  const [alone] = (await records()).filter(({ key }) => key !== before?.key);
  expect(alone?.names).toEqual([{ written: null, alike: expect.any(Number) }]);
  expect(await pictureOfRows(context)).toEqual(q5);
  expect((await filesBelow(join(place.dataDir, 'documents'))).length).toBe(1);

  await forgetPortfolio('q5', options, context);
  expect(await place.marked()).toEqual([]);
});

test('forgetting also removes copies that were stored before the clock of this host was put back', async () => {
  const place = await openWorked({ q4: [SHARED_HEADER, 'Zqxjv Stahl GmbH,DE,,HRB 1,1000.50,a.pdf'] });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 86_400_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect(await forgetPortfolio('q4', options, place.context)).toMatchObject({ files: { removed: 2, needed: 0 } });
  expect(await filesBelow(join(place.dataDir, 'documents'))).toEqual([]);
});

test('forgetting is refused while the archive of another portfolio is missing, and keeps documents that it needs', async () => {
  const place = await openWorked({
    q4: [SHARED_HEADER, 'Zqxjv Stahl GmbH,DE,,HRB 1,1000.50,a.pdf'],
    q5: [SHARED_HEADER, 'Zqxjv Holz GmbH,DE,,HRB 2,1.50,a.pdf'],
  });
  const { context, dataDir } = place;
  const { folder } = await archivePortfolio(context, 'q5', options);
  const [account, away] = [dirname(dirname(folder)), join(place.dir, 'away')];
  const documents = async () => (await filesBelow(join(dataDir, 'documents'))).length;
  await rename(account, away);
  const fault = { code: 'FILE', message: expect.stringContaining('q5 is archived, and its archive is not in') };
  await expect(forgetPortfolio('q4', options, context)).rejects.toMatchObject(fault);
  expect(await documents()).toBe(1);
  // The archive folder is on another disk, behind a link.
  await symlink(away, account);
  expect(await forgetPortfolio('q4', options, context)).toMatchObject({ files: { removed: 1, needed: 1 } });
  expect(await documents()).toBe(1);
  await restorePortfolio(context, 'q5', options);
});

test('files that an archived portfolio needs stay, also if its name ends like a folder that is being written', async () => {
  const { context, dataDir } = await openWorked({
    q4: [SHARED_HEADER, 'Zqxjv Stahl GmbH,DE,,HRB 1,1000.50,a.pdf'],
    'q5.part': [SHARED_HEADER, 'Zqxjv Holz GmbH,DE,,HRB 2,1.50,a.pdf'],
  });
  await archivePortfolio(context, 'q5.part', options);
  expect(await forgetPortfolio('q4', options, context)).toMatchObject({ files: { removed: 1, needed: 1 } });
  expect(await filesBelow(join(dataDir, 'documents'))).toHaveLength(1);
});

test("forgetting is refused if the portfolio's archive is damaged", async () => {
  const place = await openWorked({ q4: LINES });
  const { context } = place;
  const { folder } = await archivePortfolio(context, 'q4', options);
  await truncate(join(folder, REST), 20);
  const fault = { code: 'FILE', message: expect.stringMatching(/archive is damaged.*Nothing was changed/) };
  await expect(forgetPortfolio('q4', options, context)).rejects.toMatchObject(fault);
  expect(await context.archives.read('q4')).toMatchObject({ is: 'archived' });
  await rm(join(folder, REST));
  expect(await forgetPortfolio('q4', options, context)).toMatchObject({ state: { is: 'forgotten' } });
});

/** The keys of the rows of q5. */
async function pictureOfRows(context: Context) {
  return (await keyContents(context)).filter(({ key }) => /:(?:row|portfolio):q5/.test(key));
}

// Promise: forgotten-buyer-by-digests
test('a forgotten buyer is recognised by its name, and another name is still a problem', async () => {
  const place = await openWorked({ q4: LINES });
  await forgetPortfolio('q4', options, place.context);
  const made = place.standIn.counts();
  const other = markedLine(2).replace('Buyer 2 GmbH', 'Somebody else AG');
  const again = await place.import([MARKED_HEADER, markedLine(1), other, markedLine(3)], { portfolio: 'q5' });
  expect(again.problems.map(({ message }) => message)).toEqual([expect.stringContaining('belongs to another name')]);
  expect((await place.report('q5')).states).toMatchObject({ skipped: 2, queued: 0 });
  expect(place.standIn.counts()).toEqual(made);
});

// Promise: open-portfolio-not-forgotten
test('an unfinished, held or moving portfolio is not forgotten, and stays unchanged', async () => {
  const { context, ...place } = await openWorkplace();
  await place.import(LINES);
  const { ledger, keys } = context;
  const picture = () => pictureOf(ledger, keys.portfolio('').replace(/portfolio:$/, ''));
  const unchanged = async (words: string) => {
    const before = await picture();
    await expect(forgetPortfolio('q4', options, context)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(words),
    });
    expect(await picture()).toEqual(before);
  };
  const open = 'not finished: wait until it is, or give up what is left with npx limitline cancel "q4"';
  await unchanged(open);
  await ledger.hset(keys.portfolio('q4'), 'finished', 1);
  await ledger.rename(keys.rowsInState('q4', 'queued'), keys.rowsInState('q4', 'awaiting'));
  await unchanged(open);
  await ledger.rename(keys.rowsInState('q4', 'awaiting'), keys.rowsInState('q4', 'held'));
  await unchanged('3 rows of q4 wait for a person');
  for (const [is, words] of [
    ['archiving', 'limitline archive "q4"'],
    ['leaving', 'limitline archive "q4"'],
    ['restoring', 'limitline restore "q4"'],
  ] as const) {
    await ledger.hset(keys.portfolio('q4'), 'archive', JSON.stringify({ is, id: 'a', startedMs: 1 }));
    await unchanged(words);
  }
  const away = JSON.stringify({ is: 'archived', id: 'a', startedMs: 1, sizeBytes: 9 });
  await ledger.hset(keys.portfolio('q4'), 'archive', away);
  await expect(forgetPortfolio('q4', options, context)).rejects.toMatchObject({ code: 'FILE' });
  expect(await ledger.hget(keys.portfolio('q4'), 'archive')).toBe(away);
  await expect(forgetPortfolio('none', options, context)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

// Promise: forgotten-events-go
test.each(['finished', 'archived'])(
  'events that name rows of a forgotten %s portfolio are deleted, and other events stay',
  async (is) => {
    const place = await openWorked({
      q4: ['name,country_code,company_registration_number,requested_limit', 'Anna Ltd,GB,SC123456,5'],
    });
    const { context } = place;
    const [limit] = place.standIn.things('limit');
    for (const text of ['SC123456 zqxjv', `${limit?.id} zqxjv`, 'SC999999']) await context.events.keep(eventOf(text));
    if (is === 'archived') await archivePortfolio(context, 'q4', options);
    expect(await forgetPortfolio('q4', options, context)).toMatchObject({ events: 2 });
    expect(await place.marked()).toEqual([]);
    expect((await allEvents(context.events)).map(({ ids }) => ids)).toEqual([['SC999999']]);
  },
);
