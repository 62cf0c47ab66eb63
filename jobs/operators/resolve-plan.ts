import { commandLineActor } from '../../src/actor.ts';
import { feed } from '../rows/feed.ts';
import { importNames } from '../rows/import-names.ts';
import { type AskDeps, askFirst, justThese, RESEND } from './ask-first.ts';
import { type FreeDeps, freeHeld } from './free-held.ts';
import { countElsewhere } from './held-elsewhere.ts';
import type { Plan } from './plan-held-file.ts';
import { type Resolution, type Resolved, resolvedOf } from './resolution.ts';
import { sendAgain } from './send-again.ts';

/**
 * Does what a file says of held rows, in its order, unless that needs another person's approval. A call that was answered
 * meanwhile is left as it was answered, and one that was lost anew is not spoken of.
 *
 * @param onResolved is told of each row as it is resolved
 * @param who.by who says it: by default whoever runs the command; `madeBy` who sent the file
 */
export async function resolvePlan(
  { planned, lookedMs }: Plan,
  deps: FreeDeps & AskDeps,
  onResolved: (resolved: Resolved) => void,
  { by = commandLineActor(), madeBy }: { by?: string; madeBy?: string } = {},
): Promise<Resolution> {
  const resolution: Resolution & { of: Resolved[] } = { calls: 0, rows: 0, of: [] };
  const [first] = planned;
  const imports = first ? await importNames(first.found.row.portfolio, deps) : new Map<string, string>();
  const wished = () => justThese(planned.map(({ found, made, call }) => ({ found, said: made ?? RESEND, of: call })));
  const waits =
    first &&
    (await askFirst(
      { portfolio: first.found.row.portfolio, kind: 'answer', by, madeBy, asOfMs: lookedMs },
      wished,
      deps,
    ));
  if (waits) return { ...resolution, ...(waits.rows > 0 ? { waits } : {}) };
  for (const { made, found, call } of planned) {
    // A row whose call another line of the file was about goes with the others that are freed at the end.
    const said = { by, row: found.row, asOfMs: lookedMs };
    if ((await deps.calls.resolve([call], found.result.request.buyer, made, said)) === 'resolved') {
      resolution.calls += 1;
      if (await sendAgain(found.row, 'held', deps)) resolution.rows += 1;
    }
    const resolved = resolvedOf(found, made, imports);
    resolution.of.push(resolved);
    onResolved(resolved);
  }
  const freed = await freeHeld(deps);
  resolution.rows += freed.length;
  if (first) resolution.elsewhere = await countElsewhere(first.found.row.portfolio, freed, deps);
  await feed(deps);
  return resolution;
}
