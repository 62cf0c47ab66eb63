import { rename } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { InboxSource } from '../../../jobs/inbox/inbox-deps.ts';
import { startInbox } from '../../../jobs/inbox/watch-inbox.ts';
import { type Log, makeSilentLog } from '../../../src/log.ts';
import { openInbox, settled } from '../../support/inbox.ts';
import { buyerLines } from '../../support/workplace.ts';

const GOOD = `${buyerLines(2).join('\n')}\n`;

/** Watches until the test ends. `everyMs` is an hour, so only events and the start lead to a look. */
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

test('files that lie there at the start or are dropped later are imported until the watch stops', async () => {
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

test('a missing folder is logged once, and watched again when it returns', async () => {
  const { inbox, drop, source, names } = await openInbox();
  await rename(inbox, `${inbox}-away`);
  const { said } = watch(source, { everyMs: 20 });
  await expect.poll(() => said.length).toBe(1);
  await rename(`${inbox}-away`, inbox);
  await drop('q4.csv', GOOD);
  await expect.poll(() => names('done')).toEqual(['<time>-q4.csv']);
  expect(said).toEqual(['the drop folder cannot be looked at; it is tried again']);
});

test('a folder of the schedule, or none at all, is not watched', async () => {
  const { drop, source, names } = await openInbox();
  await drop('q4.csv', GOOD);
  for (const changed of [{ LIMITLINE_SCHEDULE: 'inbox 02:30' }, { LIMITLINE_INBOX: undefined }]) {
    watch({ ...source, settings: { ...source.settings, ...changed } }, { everyMs: 1 });
  }
  // Another folder is watched in the same time.
  const other = await openInbox();
  await other.drop('q4.csv', GOOD);
  watch(other.source, { everyMs: 20 });
  await expect.poll(() => other.names('done')).toEqual(['<time>-q4.csv']);
  expect(await names()).toContain('q4.csv');
});
