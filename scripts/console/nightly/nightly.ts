import type { NightlyPageFunctions } from '../../../src/console/pages/nightly/nightly-functions.ts';
import type { Context } from '../../../src/context.ts';
import { eventsFunctions } from '../events.ts';
import { inboxFunctions } from './inbox.ts';
import { noticesFunctions } from './notices.ts';
import { reportFunctions } from './report.ts';
import { ruleFunctions } from './rules.ts';

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
