import { grouped } from '../../../counted.ts';
import type { NoticeKind } from '../../../notices/notice.ts';
import type { GivenWay } from '../../../notices/notice-settings.ts';
import type { Delivery, NoticeCounts, ToldNotice, WayStanding } from '../../../notices/outbox.ts';
import { countWords, type Html, html, t } from '../../html/html.ts';
import { emptyState, notice, table } from '../../parts/blocks.ts';
import { facts } from '../../parts/figures.ts';
import { commandLine, moment, theirWords, timeAgo, withNumbers } from '../../parts/text.ts';

/** A channel for notices and its state; `given` is missing where notices wait for a channel that is no longer set. */
export type ShownWay = WayStanding & { given?: GivenWay };

export type NoticesFacts = {
  ways: readonly ShownWay[];
  /** The kinds of notices that are sent; empty for all kinds. */
  about: readonly NoticeKind[];
  /** Whether notices link to the console, which needs the setting of its address. */
  hasLinks: boolean;
  /** The latest notices, the newest first. */
  lately: readonly ToldNotice[];
  counts: NoticeCounts;
  nowMs: number;
};

export type NoticesFunctions = {
  /** @param most the number of notices to list, from the newest on */
  look: (most: number) => Promise<NoticesFacts>;
};

/** Where notices are sent, whether they arrive, and the latest ones. */
export function noticesSection({ ways, about, hasLinks, lately, counts, nowMs }: NoticesFacts): Html {
  const given = ways.filter((way) => way.given);
  return html`${given.length === 0 && noWay()}
    ${ways.map((way) => way.fault && faultNotice(way))}
    ${
      ways.length > 0 &&
      facts([
        ...ways.map((way) => ({ term: way.way === 'webhook' ? t`Webhook` : t`Mail`, what: wayWords(way) })),
        ...(counts.undelivered > 0 ? [{ term: t`Not delivered`, what: t`${grouped(counts.undelivered)} so far` }] : []),
        ...(about.length > 0 ? [{ term: t`Only about`, what: about.join(', ') }] : []),
        ...(given.length > 0 && !hasLinks
          ? [
              {
                term: t`Links`,
                what: html`none, since the address of this console is not set. ${commandLine('CONSOLE_URL', t`Setting:`)}`,
              },
            ]
          : []),
      ])
    }
    ${table({
      caption: t`Latest notices`,
      rows: lately,
      empty: emptyState({
        title: t`No notices yet.`,
        words: t`A notice is sent when something changes: a portfolio is finished, the service does not answer, a disk is nearly full.`,
      }),
      columns: [
        { head: t`When`, cell: ({ notice: { atMs } }) => timeAgo(atMs, { nowMs }) },
        { head: t`What`, names: true, cell: titleOf },
        { head: t`Sent`, cell: (told) => deliveriesOf(told, nowMs) },
      ],
    })}`;
}

function noWay(): Html {
  const words = html`An operator can have them sent to Slack, Teams or by mail. ${commandLine('NOTIFY_WEBHOOK_URL', t`Settings:`)} ${commandLine('NOTIFY_SMTP_URL')} ${commandLine('npx limitline notices test', t`Then try it:`)}`;
  return notice('info', words, { title: t`Notices are sent to nobody.` });
}

function faultNotice({ way, fault, waiting }: ShownWay): Html {
  const words = html`${fault?.words}. It has failed since ${moment(fault?.sinceMs)}; ${withNumbers(countWords(waiting, 'notice waits', 'notices wait'))}, and sending is tried again automatically.`;
  return notice('warn', words, { title: way === 'webhook' ? t`The webhook fails.` : t`The mail server fails.` });
}

function wayWords({ given, waiting }: ShownWay): string {
  const waits = waiting === 0 ? '' : `; ${countWords(waiting, 'notice waits', 'notices wait')}`;
  return `${given ? `${given.where}, ${given.how}` : t`not set up any more`}${waits}`;
}

const titleOf = ({ notice: { title, path } }: ToldNotice): Html => html`<a href="${path}">${theirWords(title)}</a>`;

function deliveriesOf({ deliveries }: ToldNotice, nowMs: number): Html {
  if (deliveries.length === 0) return html`<span class="quiet">to nobody</span>`;
  return html`<div>${deliveries.map((one) => html`<div>${deliveryOf(one, nowMs)}</div>`)}</div>`;
}

function deliveryOf({ way, is, atMs, words, tries }: Delivery, nowMs: number): Html {
  const name = way === 'webhook' ? t`Webhook` : t`Mail`;
  const why = words === undefined ? '' : html`<span class="under">${words}</span>`;
  switch (is) {
    case 'delivered':
      return html`${name}: delivered ${timeAgo(atMs, { nowMs })}${why}`;
    case 'undelivered':
      return html`<strong>${name}: not delivered, last tried ${timeAgo(atMs, { nowMs })}</strong>${why}`;
    case 'sending':
      return html`${name}: being sent`;
    case 'waiting':
      return html`${name}: ${tries === 0 ? 'waits' : html`tried ${withNumbers(countWords(tries, 'time'))}`}${why}`;
  }
}
