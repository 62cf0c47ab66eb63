import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { deliverOnce } from '../../../jobs/notices/deliver.ts';
import { readSettings } from '../../../src/config.ts';
import { openContext } from '../../../src/context.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { openDesk } from '../../support/desk.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { GOES_ON, makeState, startReceiver } from '../../support/outbox.ts';

/** A desk with a webhook and mail for notices, and the context that delivers them. */
async function openNotified() {
  const [receiver, mails] = [await startReceiver(), await startMailServer({ disabledCommands: ['STARTTLS', 'AUTH'] })];
  const desk = await openDesk(
    1,
    {},
    {
      NOTIFY_WEBHOOK_URL: receiver.url,
      NOTIFY_WEBHOOK_FORM: 'slack',
      NOTIFY_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      NOTIFY_SMTP_FROM: 'Limitline <limits@example.com>',
      NOTIFY_SMTP_TO: 'ops@example.com, finance@example.com',
    },
  );
  Object.assign(desk.env, { LIMITLINE_DATA: join(desk.cwd, 'data') });
  const context = await openContext({ settings: readSettings({ env: desk.env, cwd: desk.cwd }), log: makeSilentLog() });
  onTestFinished(() => context.close());
  return { ...desk, context, receiver, mails };
}

// Promise: webhook-address-stays-secret
test('notices test sends to webhook and mail, and reports each delivery in its output and exit status', async () => {
  const { limitline, json, receiver, mails } = await openNotified();
  const { status, stdout } = await limitline('notices', 'test');
  expect(stdout).toBe(`webhook: delivered to ${receiver.host}\nmail: delivered to 127.0.0.1\n`);
  expect(status).toBe(0);
  expect(receiver.received).toMatchObject([{ text: 'This is a test: notices of Limitline arrive here' }]);
  expect(mails.taken).toMatchObject([{ to: ['ops@example.com', 'finance@example.com'] }]);
  receiver.react((answer) => answer.writeHead(404).end('Cannot POST /hooks/T00/s3cr3t-path'));
  const failed = await limitline('notices', 'test');
  expect(failed).toMatchObject({
    status: 2,
    stdout: expect.stringMatching(/^webhook: NOT delivered: .* answered 404/),
  });
  expect(failed.stdout + failed.stderr).not.toContain('s3cr3t');
  expect((await json('audit', 'list', '--what', 'test notice sent')).entries.length).toBeGreaterThan(0);
  expect((await json('notices')).notices).toEqual([]);
});

test('notices lists the destinations, the missing links and the deliveries of each notice, with the newest last', async () => {
  const { limitline, json, context, receiver } = await openNotified();
  receiver.react((answer) => answer.writeHead(503).end());
  await context.outbox.report([
    makeState('1'),
    makeState('2', { kind: 'awaiting', title: 'Portfolio q4 awaits approval' }),
  ]);
  await deliverOnce(context, GOES_ON);
  const { status, stdout } = await limitline('notices');
  expect(status).toBe(0);
  const time = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g;
  expect(stdout.replace(time, 'TIME').split('\n')).toEqual([
    `webhook: ${receiver.host}, as Slack reads it; 2 notices wait; FAILS since TIME, 1 try, again at TIME: ${receiver.host} answered 503`,
    'mail: 127.0.0.1, to 2 addresses',
    'CONSOLE_URL is not set, so that notices have no links.',
    '',
    'TIME  settled      Portfolio q4 is settled',
    `    webhook: tried 1 time, again at TIME: ${receiver.host} answered 503`,
    '    mail: delivered TIME to 127.0.0.1',
    'TIME  awaiting     Portfolio q4 awaits approval',
    '    webhook: waits',
    '    mail: delivered TIME to 127.0.0.1',
    '',
  ]);
  const { notices, hasLinks } = await json('notices', '--last', '1');
  expect(hasLinks).toBe(false);
  expect(notices).toMatchObject([
    { notice: { kind: 'awaiting' }, deliveries: [{ is: 'waiting' }, { is: 'delivered' }] },
  ]);
});

test('without a destination, notices explains the settings, and notices test ends with status 1', async () => {
  const { limitline } = await openDesk(1);
  expect((await limitline('notices')).stdout).toMatch(/^Notices are sent to nobody: set NOTIFY_WEBHOOK_URL/);
  expect(await limitline('notices', 'test')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('NOTIFY_SMTP_URL'),
  });
  expect(await limitline('notices', '--last', '0')).toMatchObject({ status: 1 });
});
