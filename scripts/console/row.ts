import { explainRow } from '../../jobs/operators/explain-rows.ts';
import { rowByName } from '../../jobs/operators/find-row.ts';
import { retryRow } from '../../jobs/operators/retry-row.ts';
import { lineOfRow } from '../../jobs/story/line-of-row.ts';
import { rowStory } from '../../jobs/story/row-story.ts';
import type { RowPageFunctions } from '../../src/console/pages/row/add-row-page.ts';
import type { Context } from '../../src/context.ts';

/** Some 20,000 lines are read in this time, and the page is not to wait longer; somebody who asks for a line waits longer. */
const LINE_MS = 300;
const PATIENT_LINE_MS = 30_000;

/** A line further down is not looked for by the page itself, since it would hardly be found in time. */
const NEAR_LINE = 5_000;

/** What the page of a row is handed. */
export function rowPageFunctions(context: Context): RowPageFunctions {
  return {
    archived: context.archives.read,

    async story(row, { patient, signal }) {
      const story = await rowStory(row, context);
      if (!story) return undefined;
      const { line, importId } = story.result;
      const limitMs = patient ? PATIENT_LINE_MS : LINE_MS;
      const deps = { imports: context.imports, limitMs, signal };
      if (!patient && line > NEAR_LINE) return { story, line: { is: 'far' } };
      return { story, line: await lineOfRow(line, story.imports.get(importId), deps) };
    },

    async retry({ portfolio, key }, by) {
      const found = await rowByName(portfolio, key, context);
      if (typeof found === 'string') return { is: 'stays', why: found };
      const { state } = found.result;
      const stays = async () => ({ is: 'stays' as const, why: await explainRow(found, context) });
      if (state !== 'refused' && state !== 'cancelled') return stays();
      const retried = await retryRow(found.row, by, context, state);
      return retried.is === 'again' || retried.is === 'waits' ? retried : stays();
    },
  };
}
