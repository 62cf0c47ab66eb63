import type { HealthFact } from '../../../src/console/pages/health/health-answer.ts';
import type { Context } from '../../../src/context.ts';
import { counted } from '../../../src/counted.ts';
import type { FleetProcess } from '../../../src/ledger/fleet.ts';

/** The processes that gave a sign of life lately, what each does, and whether all run one version. */
export async function processesPart({ fleet }: Pick<Context, 'fleet'>): Promise<HealthFact[]> {
  const processes = await fleet.read();
  const facts = processes.map(factOf);
  if (!processes.some(({ role }) => role === 'work')) {
    const what = 'none is seen, so nothing is sent: npx limitline work starts one, or says why none can';
    facts.push({ term: 'Workers', what, kind: 'warn' });
  }
  const versions = new Set(processes.map(({ version }) => version));
  if (versions.size < 2) return facts;
  const what = `${[...versions].join(' and ')} run at the same time: stop all, and start them from one version`;
  return [...facts, { term: 'Versions differ', what, kind: 'warn' }];
}

function factOf({ id, role, version, host, pid, state, inHand, agoMs }: FleetProcess): HealthFact {
  const term = `${role}, process ${pid} on ${host}`;
  const seen = `${version}, seen ${(agoMs / 1_000).toFixed(1)} s ago`;
  if (role !== 'work') return { term, what: seen };
  const rows = counted(inHand, 'row');
  const does = {
    works: `${rows} in hand`,
    quiet: `takes up nothing new, and finishes ${rows}`,
    drained: 'takes up nothing new and has nothing in hand: it can be stopped',
  };
  const worker = { id, isQuiet: state !== 'works' };
  return { term, what: `${seen}; ${does[state]}`, worker, ...(worker.isQuiet ? { kind: 'warn' as const } : {}) };
}
