import { rename } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { InboxSource } from '../../../jobs/inbox/inbox-deps.ts';
import { startInbox } from '../../../jobs/inbox/watch-inbox.ts';
import { type Log, makeSilentLog } from '../../../src/log.ts';
import { openInbox, settled } from '../../support/inbox.ts';
import { buyerLines } from '../../support/workplace.ts';

const GOOD = `${buyerLines(2).join('\n')}\n`;

/** Watches until the test ends. `everyMs` is an hour: what it sees it was told of, or saw at the start. */
function watch(source: InboxSource, { everyMs = 3_600_000 } = {}) {
  const said: string[] = [];
  const say = (_facts: object, words: string) => void said.push(words);
  const log = Object.assign(makeSilentLog().child({}), { error: say, warn: say }) as Log;
  const { stop, watching } = startInbox(source, {
    log,
    signal: new AbortController().signal,
    everyMs,
    settling: settled(),
  });
  onTestFinished(stop);
  return { stop, said, watching };
}

test('what lies there at the start, and what is dropped later, is taken in until it is stopped', async () => {
  const { drop, source, names } = await openInbox();
  await drop('first.csv', GOOD);
  const { stop, watching } = watch(source);
  await expect.poll(() => names('done')).toEqual(['<time>-first.csv']);
  await watching;
  await drop('second.csv', GOOD.replaceAll(/HRB|Buyer/g, '$&2'));
  await expect.poll(() => names('done')).toEqual(['<time>-first.csv', '<time>-second.csv']);
  await stop();
  await drop('third.csv', GOOD);
  expect(await names()).toContain('third.csv');
});

test('a folder that is away is said once, and taken up again when it is there', async () => {
  const { inbox, drop, source, names } = await openInbox();
  await rename(inbox, `${inbox}-away`);
  const { said } = watch(source, { everyMs: 20 });
  await expect.poll(() => said.length).toBe(1);
  await rename(`${inbox}-away`, inbox);
  await drop('q4.csv', GOOD);
  await expect.poll(() => names('done')).toEqual(['<time>-q4.csv']);
  expect(said).toEqual(['the drop folder cannot be looked at; it is tried again']);
});

test('a folder that the schedule looks into is not watched, nor is one that there is not', async () => {
  const { drop, source, names } = await openInbox();
  await drop('q4.csv', GOOD);
  for (const changed of [{ LIMITLINE_SCHEDULE: 'inbox 02:30' }, { LIMITLINE_INBOX: undefined }]) {
    await watch({ ...source, settings: { ...source.settings, ...changed } }, { everyMs: 1 }).stop();
  }
  expect(await names()).toContain('q4.csv');
});
