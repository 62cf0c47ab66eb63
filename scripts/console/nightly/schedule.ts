import type { ScheduleFunctions } from '../../../src/console/pages/nightly/schedule-view.ts';
import type { Context } from '../../../src/context.ts';
import { readScheduleFacts } from '../../nightly/schedule-facts.ts';

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
