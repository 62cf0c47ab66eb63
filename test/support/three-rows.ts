import { expect } from 'vitest';
import type { AccessFunctions } from '../../src/console/access/add-access.ts';
import { heldName } from '../../src/ledger/rows/story.ts';
import { openConsole, openDesk } from './desk.ts';

const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)> =cmd|x';

/**
 * Three rows: line 2 is done, line 3 is held with a made limit, and line 4 is refused with words that contain a script.
 */
export async function openThreeRows(who: Partial<AccessFunctions> = {}) {
  const rules = [
    { on: 'limit', match: 'HRB 2', fault: 'reset', made: true, times: 1 } as const,
    { on: 'limit', match: 'HRB 3', fault: 'status', status: 422, body: HOSTILE } as const,
  ];
  const desk = await openDesk(3, { rules }, { QUEUE_BOARD: 'on' });
  expect((await desk.limitline('run', 'q4.csv')).status).toBe(2);
  const web = await openConsole(desk, who);
  const rowOf = async (state: 'done' | 'held' | 'refused') => {
    const [found] = await web.context.rows.inState('q4', state, { count: 1 });
    return `/portfolios/q4/rows/${found?.row.key}`;
  };
  /** The key of the held row in the names of form fields. */
  const heldOf = async () => {
    const [held] = await web.context.stories.held({ portfolio: 'q4', count: 1 });
    return held ? heldName(held) : '';
  };
  return { ...desk, ...web, rowOf, heldOf };
}
