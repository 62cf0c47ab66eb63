import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Command } from 'commander';
import type { Context } from '../../src/context.ts';
import { LimitlineError } from '../../src/errors.ts';
import { waysGiven } from '../../src/notices/notice-settings.ts';
import type { SendResult, Way, WayName } from '../../src/notices/way.ts';
import { makeMessage, openWays } from '../../src/notices/ways.ts';
import { noticesList, readNoticesFacts } from '../notices/notices-list.ts';
import { withContext } from '../opening/on-portfolio.ts';
import { numberUpTo } from '../options/durations.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The default number of notices shown: a screen. */
const LISTED = 20;

/** The most notices that can be listed; no more are kept for lists (src/notices/outbox-store.ts). */
const MOST_LISTED = 500;

/** `limitline notices` lists notices and their delivery; `notices test` tries each channel that is set. */
export function register(program: Command, terminal: Terminal): void {
  const notices = program
    .command('notices')
    .option(
      '--last <n>',
      `list this many of the latest notices, up to ${MOST_LISTED}`,
      numberUpTo(MOST_LISTED, 'a whole number from'),
      LISTED,
    )
    .action(({ last }: { last: number }) => withContext((context) => show(context, last, terminal)));
  notices
    .command('test')
    .description('send a test notice now, by each way that is set (webhook, mail), and say whether it arrived')
    .action(async () => {
      const tested = await withContext(tryWays);
      terminal.print(tested.map(testedWords).join('\n'), { tested });
      process.exitCode = tested.every(({ isDelivered }) => isDelivered) ? 0 : PROBLEMS_STATUS;
    });
}

async function show(context: Context, last: number, terminal: Terminal): Promise<void> {
  const facts = await readNoticesFacts(context, last);
  const { ways, about, hasLinks, lately, counts } = facts;
  terminal.print(noticesList(facts), { account: context.account, ways, about, hasLinks, counts, notices: lately });
}

async function tryWays(context: Context): Promise<Tested[]> {
  if (waysGiven(context.settings).length === 0) {
    const message =
      'Notices are sent to nobody: set NOTIFY_WEBHOOK_URL, or NOTIFY_SMTP_URL with NOTIFY_SMTP_FROM and NOTIFY_SMTP_TO.';
    throw new LimitlineError('USAGE', message);
  }
  return sendTest(context);
}

function testedWords({ way, where, isDelivered, words }: Tested): string {
  if (!isDelivered) return `${way}: NOT delivered: ${words}`;
  return `${way}: delivered to ${where}${words === '' ? '' : `, but ${words}`}`;
}

type Tested = { way: WayName; where: string; isDelivered: boolean; words: string };

/** Sends a test notice to each channel that is set. Bypasses the outbox, so that the result is known at once. */
async function sendTest({ settings, account }: Context): Promise<Tested[]> {
  const { signal } = new AbortController();
  const notice = {
    kind: 'test' as const,
    title: 'This is a test: notices of Limitline arrive here',
    facts: [{ term: 'Sent from', what: hostname() }],
    path: '/nightly/notices',
    atMs: Date.now(),
  };
  const message = makeMessage({ id: randomUUID(), notice }, { account, consoleUrl: settings.CONSOLE_URL });
  return Promise.all(openWays(settings).map(async (way) => testedBy(way, await way.send(message, { signal }))));
}

function testedBy({ name, where }: Way, sent: SendResult): Tested {
  return { way: name, where, isDelivered: sent.is === 'delivered', words: sent.words };
}
