import { release, type } from 'node:os';
import { differingSettings } from '../../src/config.ts';
import type { HealthPageFunctions } from '../../src/console/pages/health/add-health-page.ts';
import type { HealthFact } from '../../src/console/pages/health/health-answer.ts';
import type { Context } from '../../src/context.ts';
import { versionWords } from '../../src/version.ts';
import { diskPart } from './health/disk-part.ts';
import { processesPart } from './health/processes-part.ts';
import { redisPart } from './health/redis-part.ts';
import { ledgerPart, pacePart, servicePart } from './health/work-parts.ts';

/** A page has four seconds for everything, and what is well answers in milliseconds. */
const LIMIT_MS = 1_500;

/** The parts of the system, each of which can be asked by itself. */
export function healthPageFunctions(context: Context): HealthPageFunctions {
  const part = (title: string, ask: () => Promise<HealthFact[]>, ofSystem = true) => {
    return { title, limitMs: LIMIT_MS, ofSystem, ask };
  };
  return {
    wish: context.fleet.wish,
    parts: [
      part('Redis', () => redisPart(context)),
      part('Processes', () => processesPart(context)),
      part('Service', () => servicePart(context)),
      part('Pace', () => pacePart(context), false),
      part('Ledger', () => ledgerPart(context), false),
      part('Disk', () => diskPart(context)),
      part('Versions', async () => versions()),
      part('Settings that are not the default', async () => settingsOf(context)),
    ],
  };
}

function versions(): HealthFact[] {
  return [
    { term: 'Limitline', what: versionWords() },
    { term: 'Node', what: process.versions.node },
    { term: 'System', what: `${type()} ${release()}` },
  ];
}

function settingsOf({ settings }: Context): HealthFact[] {
  const differing = differingSettings(settings).map(({ name, value }) => ({ term: name, what: value }));
  return [...differing, ...settings.notices.map((what) => ({ term: 'Without effect', what, kind: 'warn' as const }))];
}
