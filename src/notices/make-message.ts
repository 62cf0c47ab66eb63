import type { Notice } from './notice.ts';
import type { Message } from './way.ts';

/** Whose notices they are, and under which address people open the console, where that is set. */
export type MessagePlace = { account: string; consoleUrl: string | undefined };

/** A notice as it is sent. */
export function makeMessage(
  { id, notice }: { id: string; notice: Omit<Notice, 'kind'> & { kind: Message['kind'] } },
  { account, consoleUrl }: MessagePlace,
): Message {
  return { ...notice, id, account, link: consoleUrl === undefined ? undefined : linkOf(consoleUrl, notice.path) };
}

/** A page below the console's address; nothing for what would be one of somebody else's. */
function linkOf(consoleUrl: string, path: string): string | undefined {
  const link = `${consoleUrl}/${path.replace(/^\/+/, '')}`;
  return URL.canParse(link) && new URL(link).origin === new URL(consoleUrl).origin ? link : undefined;
}
