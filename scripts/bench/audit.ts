import { Redis } from 'ioredis';
import { makeAuditTrail } from '../../src/audit/audit-trail.ts';
import { exportLines } from '../../src/audit/export-lines.ts';
import { makeSharedKeys } from '../../src/ledger/keys.ts';
import { makeSilentLog } from '../../src/log.ts';
import { numberText } from './figures.ts';
import { machineLine } from './machine.ts';
import { markdownTable } from './markdown-table.ts';
import { runBench } from './run-bench.ts';
import { startRedis } from './start-redis.ts';

/**
 * `node scripts/bench/audit.ts [ENTRIES]`: what an entry of the audit trail costs whoever waits for it, with each write on the
 * disk; and how long checking, exporting and looking at so many entries (1,000,000) takes, and in what memory.
 */
const PAGE = 50;
const WALK = 5_000;
const ROUNDS = 200;

/** Written at a time while the trail is filled. */
const AT_ONCE = 640;

const REFUSED = { by: 'admin', what: 'sign-in refused', from: '203.0.113.7' };

await runBench(async ({ signal, say }) => {
  const entries = Number(process.argv[2] ?? 1_000_000);
  await using redis = await startRedis();
  const connection = new Redis({ path: redis.socketPath, maxRetriesPerRequest: null });
  const trail = makeAuditTrail({
    connection,
    keys: makeSharedKeys('bench'),
    key: async () => Buffer.alloc(32, 1),
    dir: `${redis.dataDir}/audit/bench`,
    account: 'https://bench.example',
    log: makeSilentLog(),
  });
  try {
    const one = await timesOf(ROUNDS, () => trail.note(noteOf(0)));
    const many = await timesOf(ROUNDS, () =>
      Promise.all(Array.from({ length: 50 }, (_, at) => trail.note(noteOf(at)))),
    );
    const refused = await timesOf(ROUNDS, () =>
      Promise.all(Array.from({ length: 1_000 }, () => trail.refusal(REFUSED))),
    );
    // A disk is not what is measured.
    await connection.config('SET', 'appendonly', 'no');
    const before = await redis.figures();
    for (let made = 0; made < entries; made += AT_ONCE) {
      signal.throwIfAborted();
      await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => trail.note(noteOf(made + at))));
    }
    const after = await redis.figures();
    say(`${numberText(entries)} entries are written`);
    const verified = await measured(async () => {
      const { broken } = await trail.verify();
      if (broken) throw new Error(broken.words);
    });
    const exported = await measured(async () => {
      for await (const _ of exportLines(trail.read)) signal.throwIfAborted();
    });
    const top = await timesOf(ROUNDS, () => trail.read.page({ count: PAGE, walk: WALK }));
    const middle = await timesOf(ROUNDS, () => trail.read.page({ count: PAGE, walk: WALK, before: entries / 2 }));
    const filter = { by: 'nobody at all' };
    const searched = await timesOf(20, () => trail.read.page({ count: PAGE, walk: WALK, filter }));
    return [
      markdownTable(
        ['Audit trail', 'median, ms', '99th, ms'],
        [
          ['one entry, nobody else writes', ...one],
          ['50 entries at once', ...many],
          ['1,000 refusals from one address', ...refused],
          [`the newest ${PAGE} of ${numberText(entries)}`, ...top],
          [`${PAGE} from the middle`, ...middle],
          [`a filter that means none, ${numberText(WALK)} looked at`, ...searched],
        ],
      ),
      markdownTable(
        [`${numberText(entries)} entries`, 's', 'of it this processor time, s', 'memory on top, MB'],
        [
          ['checked', ...verified],
          ['exported', ...exported],
        ],
      ),
      `Redis keeps an entry in ${numberText((after.usedMemoryBytes - before.usedMemoryBytes) / entries)} bytes.`,
      machineLine({ Redis: after.version }),
    ].join('\n\n');
  } finally {
    connection.disconnect();
  }
});

function noteOf(at: number) {
  const facts = { states: ['refused'], cause: 'k3f9', planned: at % 1_000 };
  return { by: `user-${at % 1_000}`, what: 'rows retried', from: '10.0.0.7', about: `portfolio-${at % 97}`, facts };
}

/** Median and 99th of a hundred, in ms. */
async function timesOf(rounds: number, act: () => Promise<unknown>): Promise<string[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = performance.now();
    await act();
    times.push(performance.now() - startedMs);
  }
  times.sort((left, right) => left - right);
  return [0.5, 0.99].map((part) => numberText(times[Math.floor(times.length * part)] ?? 0, 2));
}

/** Seconds, those in which this process really worked, and the most memory that it took meanwhile beyond what it had. */
async function measured(act: () => Promise<void>): Promise<string[]> {
  const before = process.memoryUsage.rss();
  let most = before;
  const looking = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 50);
  const [startedMs, cpu] = [performance.now(), process.cpuUsage()];
  await act();
  clearInterval(looking);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = [(performance.now() - startedMs) / 1_000, (user + system) / 1e6];
  return [...seconds.map((time) => numberText(time, 1)), numberText((most - before) / 1e6)];
}
