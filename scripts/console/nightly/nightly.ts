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

/** The functions of the page *Nightly*, by section. */
export function nightlyPageFunctions(context: Context): NightlyPageFunctions {
  return {
    report: reportFunctions(context),
    rules: ruleFunctions(context),
    inbox: inboxFunctions(context),
    events: eventsFunctions(context),
    notices: noticesFunctions(context),
    schedule: scheduleFunctions(context),
  };
}

/** The functions for the drop folder, as this process sees it. */
export function inboxFunctions(context: Context): InboxFunctions {
  return { look: () => readInbox(context) };
}

/** The functions for notices. */
function noticesFunctions(context: Pick<Context, 'outbox' | 'settings'>): NoticesFunctions {
  return { look: (most) => readNoticesFacts(context, most) };
}

/** The functions for retry rules. */
function ruleFunctions(context: Pick<Context, 'retryRules' | 'portfolios' | 'failing'>): RuleFunctions {
  return {
    look: () => rulesNow(context),
    add: async (form, by) => (await addRule(form, by, context)).id,
    remove: async (id) => (await context.retryRules.remove(id)) !== undefined,
  };
}

/** The functions for the schedule. */
export function scheduleFunctions(context: Context): ScheduleFunctions {
  return {
    look: () => readScheduleFacts(context),
    async run(task, by) {
      await context.maintenance().oneAtATime();
      await context.maintenance().add({ task, dueMs: Date.now(), by });
    },
  };
}
