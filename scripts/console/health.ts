import { release, type } from 'node:os';
import { differingSettings } from '../../src/config.ts';
import { countWords, t } from '../../src/console/html/texts.ts';
import type { HealthFact, HealthPageFunctions } from '../../src/console/pages/health/health-routes.ts';
import type { Context } from '../../src/context.ts';
import type { FleetProcess } from '../../src/ledger/calls/fleet.ts';
import { versionWords } from '../../src/version.ts';
import { diskPart, redisPart } from './health/machine-parts.ts';
import { ledgerPart, pacePart, servicePart } from './health/work-parts.ts';

/** How long each part may take. A page has four seconds in all, and a sound part takes milliseconds. */
const LIMIT_MS = 1_500;

/** The parts of the health page, read independently. */
export function healthPageFunctions(context: Context): HealthPageFunctions {
  const part = (title: string, ask: () => Promise<HealthFact[]>, ofSystem = true) => {
    return { title, limitMs: LIMIT_MS, ofSystem, ask };
  };
  return {
    instruct: context.fleet.instruct,
    parts: [
      part(t`Redis`, () => redisPart(context)),
      part(t`Processes`, () => processesPart(context)),
      part(t`Service`, () => servicePart(context)),
      part(t`Pace`, () => pacePart(context), false),
      part(t`Ledger`, () => ledgerPart(context), false),
      part(t`Disk`, () => diskPart(context)),
      part(t`Versions`, async () => versions()),
      part(t`Settings that are not the default`, async () => settingsOf(context)),
    ],
  };
}

function versions(): HealthFact[] {
  return [
    { term: t`Limitline`, what: versionWords() },
    { term: t`Node`, what: process.versions.node },
    { term: t`System`, what: `${type()} ${release()}` },
  ];
}

function settingsOf({ settings }: Context): HealthFact[] {
  const differing = differingSettings(settings).map(({ name, value }) => ({ term: name, what: value }));
  return [...differing, ...settings.notices.map((what) => ({ term: t`Without effect`, what, kind: 'warn' as const }))];
}

/** The processes that sent a heartbeat lately, and whether all run one version. */
async function processesPart({ fleet }: Pick<Context, 'fleet'>): Promise<HealthFact[]> {
  const processes = await fleet.read();
  const facts = processes.map(factOf);
  if (!processes.some(({ role }) => role === 'work')) {
    const what = t`none is seen, so nothing is sent; npx limitline work starts one, or says why none can`;
    facts.push({ term: t`Workers`, what, kind: 'warn' });
  }
  const versions = new Set(processes.map(({ version }) => version));
  if (versions.size < 2) return facts;
  const what = t`${[...versions].join(t` and `)} run at the same time: stop all, and start them from one version`;
  return [...facts, { term: t`Versions differ`, what, kind: 'warn' }];
}

function factOf({ id, role, version, host, pid, state, inHand, agoMs }: FleetProcess): HealthFact {
  const term = t`${role}, process ${pid} on ${host}`;
  const seen = t`${version}, seen ${(agoMs / 1_000).toFixed(1)} s ago`;
  if (role !== 'work') return { term, what: seen };
  const rows = countWords(inHand, 'row');
  const does = {
    works: t`${rows} in hand`,
    quiet: t`takes up nothing new, and finishes ${rows}`,
    drained: t`takes up nothing new and has nothing in hand: it can be stopped`,
  };
  const worker = { id, isQuiet: state !== 'works' };
  return { term, what: `${seen}; ${does[state]}`, worker, ...(worker.isQuiet ? { kind: 'warn' as const } : {}) };
}
