import type { NoticesFunctions } from '../../../src/console/pages/nightly/notices-view.ts';
import type { Context } from '../../../src/context.ts';
import { readNoticesFacts } from '../../notices/notices-facts.ts';

/** What the page *Nightly* is handed of notices. */
export function noticesFunctions(context: Pick<Context, 'outbox' | 'settings'>): NoticesFunctions {
  return { look: (most) => readNoticesFacts(context, most) };
}
