import { KINDS } from '../../src/call-kind.ts';
import type { HeldItem } from '../../src/ledger/story/row-story.ts';

/** Characters: enough to find the call at the service. */
const MOST_TOLD = 2_000;

/** A text that asks the service's staff about calls in doubt. Plain, in UTC, with what was sent, and without internal terms. */
export function heldText(items: readonly HeldItem[], { account, nowMs }: { account: string; nowMs: number }): string {
  const calls = items.length === 1 ? 'a request' : `${items.length} requests`;
  const which = items.length === 1 ? '' : ' for each of them';
  const intro = [
    `We sent you ${calls}, and nothing that came back to us says whether anything was created.`,
    `Please tell us${which} whether it was created, and if so under which id. Until then we do not send it again.`,
    '',
    `Account: ${account}`,
    `Times are UTC. Written ${utc(nowMs)}.`,
  ];
  return [...intro, ...items.flatMap((item, place) => ['', ...itemLines(item, place + 1)])].join('\n');
}

function itemLines(item: HeldItem, number: number): string[] {
  const { kind, which, sentMs, heard, sent, name } = item;
  const { asked, prefix } = KINDS[kind];
  const id = prefix === '' ? 'its id' : `its id, which begins with ${prefix}`;
  return [
    `${number}. ${asked}${which === '' ? '' : ` "${oneLine(which)}"`} for ${oneLine(name)}`,
    `   Sent: ${sentMs === undefined ? `at a time that we do not know exactly, before ${utc(item.atMs)}` : utc(sentMs)}`,
    `   What came back: ${oneLine(heard) || 'nothing'}`,
    `   What was sent: ${oneLine(sent).slice(0, MOST_TOLD) || 'not kept'}`,
    `   Our reference: ${item.row.portfolio}/${item.row.key}`,
    `   Was it created? If so: ${id}.`,
  ];
}

/** `2026-11-22 06:14:03 UTC`: to the second, for a search in logs. */
function utc(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Line breaks in a name or response could forge lines of the text. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').trim();
}
