import { commandLineActor } from '../../src/actor.ts';
import type { AskedFor } from '../../src/ledger/approvals/approval-look.ts';
import { feed } from '../rows/feed.ts';
import { importNames } from '../rows/import-names.ts';
import { type AskDeps, askFirst, justThese, RESEND } from './ask-first.ts';
import { type FreeDeps, freeHeld } from './free-held.ts';
import { countElsewhere } from './held-elsewhere.ts';
import type { HeldFilePlan } from './plan-held-file.ts';
import { type ResolutionSummary, type ResolvedRow, resolvedOf } from './resolution.ts';
import { sendAgain } from './send-again.ts';

/**
 * Executes a file's answers about held rows in order, unless another person has to approve. Leaves alone calls that were
 * answered meanwhile or lost again.
 *
 * @param onResolved called for each row as it is resolved
 * @param who.by who answers: by default whoever runs the command; `madeBy`: who sent the file
 */
export async function resolvePlan(
  { planned, lookedMs }: HeldFilePlan,
  deps: FreeDeps & AskDeps,
  onResolved: (resolved: ResolvedRow) => void,
  { by = commandLineActor(), madeBy }: { by?: string; madeBy?: string } = {},
): Promise<ResolutionSummary> {
  const resolution: ResolutionSummary & { of: ResolvedRow[] } = { calls: 0, rows: 0, of: [] };
  const [first] = planned;
  const imports = first ? await importNames(first.found.row.portfolio, deps) : new Map<string, string>();
  const portfolio = first?.found.row.portfolio ?? '';
  const ask = async (some: HeldFilePlan['planned']): Promise<AskedFor | undefined> => {
    const requested = some.map(({ found, made, call }) => ({ found, said: made ?? RESEND, of: call }));
    return askFirst({ portfolio, kind: 'answer', by, madeBy, asOfMs: lookedMs }, () => justThese(requested), deps);
  };
  const waits = await ask(planned);
  if (waits) return { ...resolution, ...(waits.rows > 0 ? { waits } : {}) };
  const declined: HeldFilePlan['planned'] = [];
  for (const one of planned) {
    const { made, found, call } = one;
    // Where an earlier line has resolved the same call, `freeHeld` at the end lets this row go on.
    const said = { by, row: found.row, asOfMs: lookedMs };
    const answer = await deps.calls.resolve([call], found.result.request.buyer, made, said);
    if (answer === 'declined') {
      declined.push(one);
      continue;
    }
    if (answer === 'resolved') {
      resolution.calls += 1;
      if (await sendAgain(found.row, 'held', deps)) resolution.rows += 1;
    }
    const resolved = resolvedOf(found, made, imports);
    resolution.of.push(resolved);
    onResolved(resolved);
  }
  const freed = await freeHeld(deps);
  resolution.rows += freed.length;
  if (first) resolution.elsewhere = await countElsewhere(portfolio, freed, deps);
  // Somebody declined these meanwhile, in another portfolio: now another person has to approve.
  const asked = declined.length > 0 ? await ask(declined) : undefined;
  if (asked && asked.rows > 0) resolution.waits = asked;
  await feed(deps);
  return resolution;
}
