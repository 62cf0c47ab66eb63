import { readInbox } from '../../../jobs/inbox/read-inbox.ts';
import { addRule } from '../../../jobs/nightly/add-rule.ts';
import type { InboxFunctions } from '../../../src/console/pages/nightly/inbox-view.ts';
import type { NightlyPageFunctions } from '../../../src/console/pages/nightly/nightly-functions.ts';
import type { NoticesFunctions } from '../../../src/console/pages/nightly/notices-view.ts';
import type { RuleFunctions } from '../../../src/console/pages/nightly/rules-view.ts';
import type { ScheduleFunctions } from '../../../src/console/pages/nightly/schedule-view.ts';
import type { Context } from '../../../src/context.ts';
import { rulesNow } from '../../../src/ledger/nightly/retry-rules.ts';
import { readScheduleFacts } from '../../nightly/schedule-facts.ts';
import { readNoticesFacts } from '../../notices/notices-facts.ts';
import { eventsFunctions } from '../events.ts';
import { reportFunctions } from './report.ts';

/** What the page *Nightly* is handed, a section each. */
export function nightlyPageFunctions(context: Context): NightlyPageFunctions {
  return {
    report: reportFunctions(context),
    rules: ruleFunctions(context),
    inbox: inboxFunctions(context),
    events: eventsFunctions(context),
    notices: noticesFunctions(context),
  };
}

/** What the page *Nightly* shows of the drop folder, as this process sees it. */
export function inboxFunctions(context: Context): InboxFunctions {
  return { look: () => readInbox(context) };
}

/** What the page *Nightly* is handed of notices. */
function noticesFunctions(context: Pick<Context, 'outbox' | 'settings'>): NoticesFunctions {
  return { look: (most) => readNoticesFacts(context, most) };
}

/** What the page *Nightly* is handed of the rules by which refused rows go again. */
function ruleFunctions(context: Pick<Context, 'retryRules' | 'portfolios' | 'failing'>): RuleFunctions {
  return {
    look: () => rulesNow(context),
    add: async (form, by) => (await addRule(form, by, context)).id,
    remove: async (id) => (await context.retryRules.remove(id)) !== undefined,
  };
}

/** What the page *Nightly* is handed of the schedule. */
export function scheduleFunctions(context: Context): ScheduleFunctions {
  return {
    look: () => readScheduleFacts(context),
    async run(task, by) {
      await context.maintenance().oneAtATime();
      await context.maintenance().add({ task, dueMs: Date.now(), by });
    },
  };
}
