import type { Calls } from '../../src/ledger/calls.ts';
import type { CallKind } from '../../src/ledger/keys.ts';
import type { Portfolios } from '../../src/ledger/portfolios.ts';
import type { Rows, Step } from '../../src/ledger/rows.ts';
import type { Resolution, ResolutionFile } from '../../src/portfolio/results/resolution-file.ts';
import { COMPANY_ID_PREFIX, LIMIT_ID_PREFIX } from '../../src/resource-ids.ts';
import { callsOf } from '../rows/calls-of.ts';
import type { FoundRow } from '../rows/walk-rows.ts';
import { callName, knownIds } from './known-ids.ts';
import { rowAtLine, rowByName } from './row-meant.ts';
import { whyNot, whyNotRow } from './why-not.ts';

/** The ids of the service have these prefixes, where any is shown (service-api: "Resources and their fields"). */
const PREFIXES: Partial<Record<Step, string>> = { company: COMPANY_ID_PREFIX, limit: LIMIT_ID_PREFIX };

/** One word, and the held row and call that it is about. */
export type Planned = { word: Resolution; found: FoundRow; call: Call };

type Call = { kind: CallKind; key: string };

/** All words of a file, in its order, and all that is wrong with them, by its lines. */
export type Plan = { planned: Planned[]; problems: ResolutionFile['problems'] };

type PlanDeps = { rows: Rows; portfolios: Portfolios; calls: Calls };

/**
 * Finds the held row behind each word, and whatever speaks against it: the row is not held, the id is of another kind, is
 * given twice, or is that of another row. Changes nothing.
 */
export async function planWords(portfolio: string, file: ResolutionFile, deps: PlanDeps): Promise<Plan> {
  const plan: Plan = { planned: [], problems: [...file.problems] };
  for (const word of file.words) {
    const found = await heldRow(portfolio, word, deps);
    const fault = typeof found === 'string' ? found : prefixFault(word.made, found);
    const call = typeof found === 'string' ? undefined : await callInDoubt(found, deps);
    if (fault !== undefined) plan.problems.push({ at: word.at, message: fault });
    else if (typeof found !== 'string' && call) plan.planned.push({ word, found, call });
  }
  plan.problems.push(...contradictions(plan.planned), ...(await knownElsewhere(plan.planned, deps)));
  plan.problems.sort((a, b) => a.at - b.at);
  return plan;
}

/** Why this id cannot be what the row's step made; nothing where it can. */
export function prefixFault(made: string | undefined, { result }: FoundRow): string | undefined {
  const prefix = PREFIXES[result.step];
  if (made === undefined || prefix === undefined || (made.startsWith(prefix) && made.length > prefix.length)) {
    return undefined;
  }
  return `"${made}" is no id of what line ${result.line} is held at: its step is ${result.step}, whose ids begin with ${prefix}.`;
}

/** The row, or why there is none to speak of. */
async function heldRow(portfolio: string, { row: name, line }: Resolution, deps: PlanDeps): Promise<FoundRow | string> {
  if (name !== '') {
    const found = await rowByName(portfolio, name, deps);
    return typeof found === 'string' || found.result.state === 'held' ? found : whyNotRow(found, deps);
  }
  if (line === undefined) return 'It names no row.';
  const found = await rowAtLine(portfolio, { state: 'held', line }, deps);
  return typeof found === 'string' ? `${found} Name it in a column row.` : (found ?? whyNot(portfolio, line, deps));
}

/**
 * The first of the step's calls whose outcome is unknown: the one that a word is about, whatever is answered until it is
 * believed. Where none is unknown any more the row goes on by itself.
 */
async function callInDoubt(found: FoundRow, { calls }: PlanDeps): Promise<Call | undefined> {
  const all: Call[] = callsOf(found);
  for (const call of all) if (await calls.isUnknown(call)) return call;
  return all[0];
}

/** Rows may share a call, and words on it then have to agree; one id cannot be of two calls. */
function contradictions(planned: readonly Planned[]): ResolutionFile['problems'] {
  const [byCall, byId] = [new Map<string, Planned>(), new Map<string, Planned>()];
  const problems: ResolutionFile['problems'] = [];
  for (const each of planned) {
    const { word, call } = each;
    const name = callName(call);
    const [same, used] = [byCall.get(name), word.made === undefined ? undefined : byId.get(word.made)];
    if (same && same.word.made !== word.made) {
      problems.push({
        at: word.at,
        message: `Line ${same.word.at} says something else of the same ${call.kind}.`,
      });
    } else if (used && callName(used.call) !== name) {
      problems.push({
        at: word.at,
        message: `"${word.made}" is given for another row already, in line ${used.word.at}.`,
      });
    }
    byCall.set(name, same ?? each);
    if (word.made !== undefined) byId.set(word.made, used ?? each);
  }
  return problems;
}

async function knownElsewhere(planned: readonly Planned[], deps: PlanDeps): Promise<ResolutionFile['problems']> {
  const known = await knownIds(new Set(planned.flatMap(({ word }) => word.made ?? [])), deps);
  return planned.flatMap(({ word, call }) => {
    const other = known.get(word.made ?? '')?.find((one) => one.call !== callName(call));
    if (!other) return [];
    const whose = `line ${other.line} of portfolio "${other.portfolio}" (${other.name})`;
    return [{ at: word.at, message: `"${word.made}" is known already, as what was made for ${whose}.` }];
  });
}
