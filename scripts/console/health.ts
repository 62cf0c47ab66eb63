import { readdir, stat, statfs } from 'node:fs/promises';
import { release, type } from 'node:os';
import { join } from 'node:path';
import { differingSettings } from '../../src/config.ts';
import { countWords, t } from '../../src/console/html/html.ts';
import type { HealthFact, HealthPageFunctions } from '../../src/console/pages/health/health-routes.ts';
import type { Context } from '../../src/context.ts';
import type { FleetProcess } from '../../src/ledger/calls/fleet.ts';
import { loginOf } from '../../src/ledger/schema/keys.ts';
import { lookAtPace } from '../../src/open-service.ts';
import { describeBlock, describeTripped } from '../../src/pace/breaker-words.ts';
import { describeLearned } from '../../src/pace/pace-words.ts';
import { chooseProxy } from '../../src/proxy.ts';
import { findWeakness } from '../../src/redis/open-redis.ts';
import { nodesOf, readInfo, type ServerInfo } from '../../src/redis/server-info.ts';
import { versionWords } from '../../src/version.ts';

/** How long each part may take. A page has four seconds in all, and a sound part takes milliseconds. */
const LIMIT_MS = 1_500;

/**
 * The parts of the health page, read independently.
 *
 * @param readVersion asked once, since another version may be installed while this process runs
 */
export function healthPageFunctions(context: Context, readVersion = versionWords): HealthPageFunctions {
  const part = (title: string, ask: () => Promise<HealthFact[]>, ofSystem = true) => {
    return { title, limitMs: LIMIT_MS, ofSystem, ask };
  };
  const version = readVersion();
  return {
    instruct: context.fleet.instruct,
    parts: [
      part(t`Redis`, () => redisPart(context)),
      part(t`Processes`, () => processesPart(context)),
      part(t`Service`, () => servicePart(context)),
      part(t`Pace`, () => pacePart(context), false),
      part(t`Ledger`, () => ledgerPart(context), false),
      part(t`Disk`, () => diskPart(context)),
      part(t`Versions`, async () => versions(version)),
      part(t`Settings that are not the default`, async () => settingsOf(context)),
    ],
  };
}

function versions(version: string): HealthFact[] {
  return [
    { term: t`Limitline`, what: version },
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

/** The service's address, proxy and login. Does not ask the service. */
async function servicePart({ settings, account, ledger, keys, portfolios }: Context): Promise<HealthFact[]> {
  const { SERVICE_URL: url, SERVICE_CLIENT_ID: clientId } = settings;
  const facts: HealthFact[] = [
    { term: t`Account`, what: account },
    { term: t`Address`, what: url ?? t`the stand-in, started by the workers: nothing is really requested` },
  ];
  if (url !== undefined) {
    const proxy = chooseProxy(url, settings);
    facts.push({ term: t`Proxy`, what: proxy ? `${proxy.where} (${proxy.setting})` : t`none` });
    const leftMs = await ledger.pttl(keys.token(loginOf({ url, clientId })));
    facts.push({
      term: t`Token`,
      what: leftMs > 0 ? t`good for another ${elapsedText(leftMs)}` : t`none now: the next call gets one`,
    });
  }
  const calls = await portfolios.tokenCalls();
  return [...facts, { term: t`Token calls so far`, what: String(calls) }];
}

/** The pace of calls, and what holds them back. */
async function pacePart(context: Context): Promise<HealthFact[]> {
  const pace = await lookAtPace(context);
  if (!pace) return [{ term: t`Pace`, what: t`nothing is known yet: no call was made` }];
  const now = Date.now();
  const tripped = pace.tripped ?? [];
  const { blocked } = pace;
  return [
    { term: t`Pace`, what: describeLearned(pace, now) || t`nothing leaves now` },
    {
      term: t`Learned limit`,
      what: pace.phase === 'start' ? t`not found yet` : t`${Math.round(pace.ratePerS * 10) / 10} calls/s`,
    },
    ...(blocked && blocked.untilMs > now
      ? [{ term: t`All calls wait`, what: describeBlock(blocked, now), kind: 'warn' as const }]
      : []),
    {
      term: t`Stopped calls`,
      what: tripped.length === 0 ? t`none` : describeTripped(tripped, now),
      ...(tripped.length > 0 ? { kind: 'warn' as const } : {}),
    },
  ];
}

/** The ledger's counts, and when they were last compared with the rows. */
async function ledgerPart({ portfolios, stories, archives, keys, ledger }: Context): Promise<HealthFact[]> {
  const [count, archived, held, checked] = await Promise.all([
    ledger.zcard(keys.portfolios),
    archives.count(),
    stories.heldCount(),
    portfolios.lastReconciled(),
  ]);
  return [
    { term: t`Portfolios`, what: count.toLocaleString('en') },
    ...(archived > 0 ? [{ term: t`Archived portfolios`, what: archived.toLocaleString('en') }] : []),
    { term: t`Held rows`, what: held.toLocaleString('en'), ...(held > 0 ? { kind: 'warn' as const } : {}) },
    {
      term: t`Compared with its rows`,
      what: checked
        ? t`${elapsedText(Date.now() - checked.atMs)} ago, ${checked.findings === 0 ? t`all agreed` : t`${countWords(checked.findings, 'finding')}, see Nightly`}`
        : t`never so far; the nightly check does it`,
    },
  ];
}

/** Redis: address, response time, memory, and weak persistence. */
async function redisPart({ redis, ledger }: Context): Promise<HealthFact[]> {
  const askedMs = performance.now();
  await ledger.ping();
  const tookMs = performance.now() - askedMs;
  const facts: HealthFact[] = [
    { term: t`Where`, what: redis.where },
    { term: t`Answers in`, what: t`${tookMs.toFixed(1)} ms`, ...(tookMs > SLOW_MS ? { kind: 'warn' as const } : {}) },
  ];
  for (const node of nodesOf(ledger)) {
    const info = await readInfo(node);
    facts.push(...ofNode(info));
    for (const weakness of await findWeakness(node, info))
      facts.push({ term: t`Persistence`, what: weakness, kind: 'warn' });
  }
  return facts;
}

/** The response time of Redis, in ms, from which it counts as slow: each script takes at least as long, and each row needs fifteen of them. */
const SLOW_MS = 100;

function ofNode(info: ServerInfo): HealthFact[] {
  const limit = Number(info.maxmemory ?? 0);
  const used = Number(info.used_memory ?? 0);
  const isFull = limit > 0 && used > 0.9 * limit;
  const memory = `${bytesText(used)}${limit > 0 ? t` of ${bytesText(limit)}` : t`, no limit set`}`;
  return [
    { term: t`Version`, what: info.redis_version ?? t`not told` },
    { term: t`Memory`, what: memory, ...(isFull ? { kind: 'bad' as const } : {}) },
    { term: t`Up for`, what: `${elapsedText(Number(info.uptime_in_seconds ?? 0) * 1_000)}` },
    ...(Number(info.connected_slaves ?? 0) > 0 ? [{ term: t`Replicas`, what: info.connected_slaves ?? '' }] : []),
    ...(info.aof_last_write_status === 'err' || info.rdb_last_bgsave_status === 'err'
      ? [
          {
            term: t`Last write to disk`,
            what: t`it failed: look at the log of Redis and the space on its disk`,
            kind: 'bad' as const,
          },
        ]
      : []),
  ];
}

/** The free space on the disk, in bytes, below which an import or our own Redis may soon fail. */
const LITTLE_BYTES = 1_000_000_000;
const NEXT_TO_NONE_BYTES = 200_000_000;

/** The most files that are counted: a folder of a hundred thousand documents would take too long. */
const MOST_FILES = 5_000;

/** The data folder: path, size, and free space on its disk. */
async function diskPart({ settings }: Pick<Context, 'settings'>): Promise<HealthFact[]> {
  const path = settings.LIMITLINE_DATA;
  const { bsize, bavail, blocks } = await statfs(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return NONE;
    throw error;
  });
  if (blocks === 0) return [{ term: t`Data folder`, what: t`${path} (made with the first import)` }];
  const free = bsize * bavail;
  const kind = free < NEXT_TO_NONE_BYTES ? 'bad' : free < LITTLE_BYTES ? 'warn' : undefined;
  const { bytes, isAll } = await sizeOf(path);
  return [
    { term: t`Data folder`, what: path },
    { term: t`Holds`, what: `${isAll ? '' : t`more than `}${bytesText(bytes)}` },
    {
      term: t`Free on its disk`,
      what: t`${bytesText(free)} of ${bytesText(bsize * blocks)}`,
      ...(kind ? { kind } : {}),
    },
  ];
}

const NONE = { bsize: 0, bavail: 0, blocks: 0 };

async function sizeOf(top: string): Promise<{ bytes: number; isAll: boolean }> {
  const folders = [top];
  let [bytes, files] = [0, 0];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile()) continue;
      if (files === MOST_FILES) return { bytes, isAll: false };
      files += 1;
      bytes += await stat(path).then(
        ({ size }) => size,
        () => 0,
      );
    }
  }
  return { bytes, isAll: true };
}

/** `412 MB`, in steps of a thousand; below 10 with one decimal. */
function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `40 s`, `12 min`, `5 h`, `3 days`: a duration in one unit. */
function elapsedText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 90) return t`${seconds} s`;
  if (seconds < 5_400) return t`${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return t`${Math.round(seconds / 3_600)} h`;
  return t`${Math.round(seconds / 86_400)} days`;
}
