import type { NoticesFacts, ShownWay } from '../../src/console/pages/nightly/notices-view.ts';
import type { Context } from '../../src/context.ts';
import { counted } from '../../src/counted.ts';
import { waysGiven } from '../../src/notices/notice-settings.ts';
import type { Delivery, ToldNotice } from '../../src/notices/outbox.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { secondText } from '../../src/utc-text.ts';

/** Notices as text: the channels with their state, then the latest notices, newest last. */
export function noticesList({ ways, about, hasLinks, lately, counts }: NoticesFacts): string {
  const given = ways.filter((way) => way.given);
  const lines = ways.map(wayLine);
  if (given.length === 0) {
    lines.unshift('Notices are sent to nobody: set NOTIFY_WEBHOOK_URL or NOTIFY_SMTP_URL.');
  } else if (!hasLinks) lines.push('CONSOLE_URL is not set, so that notices have no links.');
  if (about.length > 0) lines.push(`Notices are sent about: ${about.join(', ')} (NOTIFY_ABOUT).`);
  if (counts.undelivered > 0) lines.push(`${counted(counts.undelivered, 'notice')} in all could not be delivered.`);
  const told = lately.length === 0 ? ['No notice was made yet.'] : [...lately].reverse().map(noticeLines);
  return `${lines.join('\n')}\n\n${told.join('\n')}`;
}

/** The channels in the settings with their state, and the latest notices. */
export async function readNoticesFacts(
  { outbox, settings }: Pick<Context, 'outbox' | 'settings'>,
  most: number,
): Promise<NoticesFacts> {
  const [standings, lately, counts] = await Promise.all([outbox.standings(), outbox.lately(most), outbox.counts()]);
  const given = waysGiven(settings);
  return {
    ways: standings.flatMap((standing) => {
      const own = given.find(({ name }) => name === standing.way);
      if (own) return [{ ...standing, given: own }];
      return standing.waiting > 0 ? [standing] : [];
    }),
    about: settings.NOTIFY_ABOUT,
    hasLinks: settings.CONSOLE_URL !== undefined,
    // The notices are sorted by the time that is shown. The notice of a finished portfolio may be made after notices of later times.
    lately: lately.toSorted((one, other) => other.notice.atMs - one.notice.atMs),
    counts,
    nowMs: Date.now(),
  };
}

function wayLine({ way, given, waiting, fault }: ShownWay): string {
  const parts = [given ? `${given.where}, ${given.how}` : 'set no more here'];
  if (waiting > 0) parts.push(`${counted(waiting, 'notice')} ${waiting === 1 ? 'waits' : 'wait'}`);
  if (fault) {
    const { sinceMs, failures, againMs, words } = fault;
    parts.push(
      `FAILS since ${secondText(sinceMs)}, ${counted(failures, 'try', 'tries')}, again at ${secondText(againMs)}: ${words}`,
    );
  }
  return `${way}: ${parts.join('; ')}`;
}

function noticeLines({ notice: { atMs, kind, title }, deliveries }: ToldNotice): string {
  const head = `${secondText(atMs)}  ${kind.padEnd(11)}  ${visible(title)}`;
  const sent = deliveries.length === 0 ? ['sent to nobody'] : deliveries.map(deliveryLine);
  return [head, ...sent.map((line) => `    ${line}`)].join('\n');
}

function deliveryLine({ way, is, atMs, where, words, tries }: Delivery): string {
  const at = atMs === undefined ? '' : ` ${secondText(atMs)}`;
  const to = where === undefined ? '' : ` to ${where}`;
  const why = words === undefined ? '' : `: ${words}`;
  switch (is) {
    case 'delivered':
      return `${way}: delivered${at}${to}${why}`;
    case 'undelivered':
      return `${way}: UNDELIVERED, given up${at}${why}`;
    case 'sending':
      return `${way}: being sent since${at}`;
    case 'waiting':
      return tries === 0 ? `${way}: waits` : `${way}: tried ${counted(tries, 'time')}, again at${at}${why}`;
  }
}
