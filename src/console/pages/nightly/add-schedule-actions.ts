import { TASKS } from '../../../schedule/schedule.ts';
import { addAction } from '../../actions/add-action.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { ConsoleError } from '../../server/console-error.ts';
import type { ScheduleFunctions } from './schedule-view.ts';

/** `POST /nightly/run/:task`: asks for a run of a task at once, and leads back to the page, which says who takes it up. */
export function addScheduleActions(app: ConsoleApp, { run }: Pick<ScheduleFunctions, 'run'>): void {
  addAction(app, {
    url: '/nightly/run/:task',
    action: 'run nightly',
    handle: async ({ params, actor, reply }) => {
      const task = TASKS.find((name) => name === params.task);
      if (!task) throw new ConsoleError(404, `There is no task "${params.task}"; there are ${TASKS.join(', ')}.`);
      await run(task, actor.name);
      return reply.redirect(`/nightly?asked=${task}`, 303);
    },
  });
}
