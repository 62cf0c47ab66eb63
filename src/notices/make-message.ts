import type { Notice } from './notice.ts';
import type { Message } from './way.ts';

/** The account, and the URL under which people open the console, if set. */
type MessagePlace = { account: string; consoleUrl: string | undefined };

/** A notice in the form in which it is sent. */
export function makeMessage(
  { id, notice }: { id: string; notice: Omit<Notice, 'kind'> & { kind: Message['kind'] } },
  { account, consoleUrl }: MessagePlace,
): Message {
  return { ...notice, id, account, link: consoleUrl === undefined ? undefined : linkOf(consoleUrl, notice.path) };
}

/** The URL of a console page; undefined if the path leads to another site. */
function linkOf(consoleUrl: string, path: string): string | undefined {
  const link = `${consoleUrl}/${path.replace(/^\/+/, '')}`;
  return URL.canParse(link) && new URL(link).origin === new URL(consoleUrl).origin ? link : undefined;
}
