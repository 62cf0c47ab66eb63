import { readInbox } from '../../../jobs/inbox/read-inbox.ts';
import type { InboxFunctions } from '../../../src/console/pages/nightly/inbox-view.ts';
import type { Context } from '../../../src/context.ts';

/** What the page *Nightly* shows of the drop folder, as this process sees it. */
export function inboxFunctions(context: Context): InboxFunctions {
  return { look: () => readInbox(context) };
}
