import { randomUUID } from 'node:crypto';
import type { LedgerPlace } from '../schema/keys.ts';
import { redisNowMs, scanned } from '../schema/redis-reads.ts';
import { countAll, type FoundItem, type NightReport, type ReportFinding, type WholeReport } from './checks.ts';
import type { Before } from './compare-reports.ts';

export type Reports = ReturnType<typeof makeReports>;

/** Reports kept: a year, and a month for late readers. */
const NIGHTS = 400;

/**
 * Fields that are deleted once a report has `behind` newer ones, so that Redis does not fill up: all examples, and findings from number 200
 * on. The counts of a report stay.
 */
const THINNED_OUT = [
  { behind: 30, field: 'examples', from: 0 },
  { behind: 90, field: 'finding', from: 200 },
] as const;

/** Findings that one command writes (some 30 kB) or reads (30 to 100 kB), so that no command takes Redis ten milliseconds. */
const WRITTEN_AT_A_TIME = 25;
const FINDINGS_AT_A_TIME = 100;

/** Seconds after which the draft of a report expires, if its process died; writing a report never takes that long. */
const DRAFT_S = 3_600;

/** Reports thinned out at a time: one a night, and those that a dead process left. */
const AT_ONCE = 3;

/** The nightly reports of an account, each a summary and its findings, which are read in pages. */
export function makeReports({ connection, keys }: LedgerPlace) {
  const summaries = async (ids: readonly string[]): Promise<NightReport[]> => {
    const step = connection.pipeline();
    for (const id of ids) step.hget(keys.report(id), 'summary');
    const texts = ((await step.exec()) ?? []).map(([, text]) => text);
    return texts.flatMap((text) => (typeof text === 'string' ? [JSON.parse(text) as NightReport] : []));
  };

  /** The JSON of a field of so many findings, from this number on; null where a finding lacks it. */
  const textsOf = async (field: string, id: string, from: number, count: number): Promise<(string | null)[]> => {
    const found: (string | null)[] = [];
    for (let first = from; first < from + count; first += FINDINGS_AT_A_TIME) {
      const size = Math.min(FINDINGS_AT_A_TIME, from + count - first);
      const fields = Array.from({ length: size }, (_none, place) => `${field}:${first + place}`);
      found.push(...(await connection.hmget(keys.report(id), ...fields)));
    }
    return found;
  };

  const findingsOf = async (id: string, from: number, count: number): Promise<ReportFinding[]> =>
    (await textsOf('finding', id, from, count)).flatMap((text) => (text === null ? [] : [JSON.parse(text)]));

  /** Writes the findings under a key that nobody reads yet. */
  const writeDraft = async (key: string, findings: WholeReport['findings']): Promise<void> => {
    for (let from = 0; from < findings.length; from += WRITTEN_AT_A_TIME) {
      const fields = findings.slice(from, from + WRITTEN_AT_A_TIME).flatMap(({ examples, ...finding }, place) => {
        const number = from + place;
        const shown = examples.length === 0 ? [] : [`examples:${number}`, JSON.stringify(examples)];
        return [`finding:${number}`, JSON.stringify(finding), ...shown];
      });
      await connection
        .multi()
        .hset(key, ...fields)
        .expire(key, DRAFT_S)
        .exec();
    }
  };

  const thinOut = async (): Promise<void> => {
    for (const { behind, field, from } of THINNED_OUT) {
      const ids = await connection.zrevrange(keys.reports, behind, behind + AT_ONCE - 1);
      for (const report of await summaries(ids)) {
        const count = countAll(report);
        for (let first = from; first < count; first += FINDINGS_AT_A_TIME) {
          const fields = Array.from({ length: FINDINGS_AT_A_TIME }, (_none, place) => `${field}:${first + place}`);
          await connection.hdel(keys.report(report.id), ...fields);
        }
      }
    }
  };

  return {
    /** The time of the Redis server, in ms, so that reports of several hosts have one order. */
    now: () => redisNowMs(connection),

    /**
     * Keeps a report, all at once: until then readers get that of an earlier run of the same night. Deletes reports beyond the last 400.
     *
     * @returns the ids of the deleted ones
     */
    async keep(report: NightReport, findings: WholeReport['findings']): Promise<string[]> {
      const key = keys.report(report.id);
      const draft = keys.report(`${report.id} ${randomUUID()}`);
      await writeDraft(draft, findings);
      await connection.hset(draft, 'by', report.by, 'summary', JSON.stringify(report));
      const put = connection.multi().rename(draft, key).persist(key).zadd(keys.reports, report.madeMs, report.id);
      const fault = (await put.exec())?.find(([error]) => error)?.[0];
      // If a reply was lost and the connection repeats the transaction, its RENAME finds no draft: the report is kept already.
      if (fault && (await summaries([report.id]))[0]?.madeMs !== report.madeMs) throw fault;
      await thinOut();
      const forgotten = await connection.zrange(keys.reports, '0', `-${NIGHTS + 1}`);
      for (const id of forgotten) await connection.multi().unlink(keys.report(id)).zrem(keys.reports, id).exec();
      return forgotten;
    },

    /** The report of a night, or the latest one; undefined if there is none. */
    async read(id?: string): Promise<NightReport | undefined> {
      const wanted = id ?? (await connection.zrevrange(keys.reports, 0, 0))[0];
      return wanted === undefined ? undefined : (await summaries([wanted]))[0];
    },

    /** Reports made before this moment, the newest first; without a moment the latest. */
    async list({ beforeMs, count }: { beforeMs?: number; count: number }): Promise<NightReport[]> {
      const from = beforeMs === undefined ? '+inf' : `(${beforeMs}`;
      return summaries(await connection.zrevrangebyscore(keys.reports, from, '-inf', 'LIMIT', 0, count));
    },

    /** Findings of a report in its order, from this number on. */
    findings: findingsOf,

    /** Examples of a report's findings, from this number on; old reports have none. */
    async examples(id: string, from: number, count: number): Promise<FoundItem[][]> {
      return (await textsOf('examples', id, from, count)).map((text) => (text === null ? [] : JSON.parse(text)));
    },

    /**
     * The report that a new one is compared with: for a scheduled run that of the last scheduled run, for one that a person asked for the
     * latest of all.
     */
    async before({ id, by }: Pick<NightReport, 'id' | 'by'>): Promise<Before | undefined> {
      const ids = (await connection.zrevrange(keys.reports, 0, -1)).filter((one) => one !== id);
      const found = (await lastBy(ids, by)) ?? ids[0];
      const [report] = found === undefined ? [] : await summaries([found]);
      if (!report) return undefined;
      const findings = await findingsOf(report.id, 0, countAll(report));
      return { id: report.id, madeMs: report.madeMs, crowded: report.crowded, findings };
    },
  };

  /** The id of the latest report of a scheduled run, out of `ids`, the newest first; undefined if a person asked for the new report. */
  async function lastBy(ids: readonly string[], by: string): Promise<string | undefined> {
    if (by !== NIGHTLY) return undefined;
    const step = connection.pipeline();
    for (const id of ids) step.hget(keys.report(id), 'by');
    const makers = (await step.exec()) ?? [];
    return ids.find((_id, place) => makers[place]?.[1] === NIGHTLY);
  }
}

/** The value of a report's field `by` if a scheduled run made the report. */
const NIGHTLY = 'nightly';

/** Fields of a report read at a time: findings, and up to twenty examples each. */
const READ_AT_ONCE = 50;

/** Replaces the words of a finding about a forgotten portfolio. */
const FORGOTTEN_WORDS = 'what was found of it was forgotten with the portfolio';

export type IsOurs = (item: Pick<FoundItem, 'portfolio' | 'detail'>) => boolean;

/**
 * Deletes what nightly reports say of a portfolio. The numbers of rows stay. Each finding about the portfolio becomes `gone`: then the next
 * night's report, which is compared with this one, does not say that the finding ended.
 */
export function makeForgetInReports({ connection, keys }: LedgerPlace) {
  /** The new value of a report's field once the portfolio is forgotten; undefined if the field stays as it is. */
  function changeOf(
    field: string,
    text: string,
    portfolio: string,
    isOurs: IsOurs,
  ): Record<string, string> | undefined {
    if (field.startsWith('finding:')) {
      const finding = JSON.parse(text) as ReportFinding;
      if (finding.portfolio !== portfolio || finding.finding === FORGOTTEN_WORDS) return undefined;
      const gone: ReportFinding = {
        ...finding,
        finding: FORGOTTEN_WORDS,
        commands: [],
        change: 'gone',
        rowsBefore: finding.rows,
      };
      return { [field]: JSON.stringify(gone) };
    }
    if (!field.startsWith('examples:')) return undefined;
    const examples = JSON.parse(text) as FoundItem[];
    const others = examples.filter((item) => !isOurs(item));
    return others.length === examples.length ? undefined : { [field]: JSON.stringify(others) };
  }

  /** Removes the printable page, which contains all portfolios, from the report. */
  async function leavePage(id: string): Promise<void> {
    const text = await connection.hget(keys.report(id), 'summary');
    const { files, ...report } = JSON.parse(text ?? '{}') as NightReport;
    if (files?.page === undefined) return;
    const { page: _page, ...others } = files;
    await connection.hset(keys.report(id), 'summary', JSON.stringify({ ...report, files: others }));
  }

  /** @returns the ids of the reports that mentioned the portfolio */
  return async function forgetInReports(portfolio: string, isOurs: IsOurs): Promise<string[]> {
    const touched: string[] = [];
    for (const id of await connection.zrange(keys.reports, '0', '-1')) {
      let isTouched = false;
      for await (const found of scanned((at) => connection.hscan(keys.report(id), at, 'COUNT', READ_AT_ONCE))) {
        for (let at = 0; at < found.length; at += 2) {
          const change = changeOf(found[at] ?? '', found[at + 1] ?? '', portfolio, isOurs);
          if (change) await connection.hset(keys.report(id), change);
          isTouched ||= change !== undefined;
        }
      }
      if (!isTouched) continue;
      await leavePage(id);
      touched.push(id);
    }
    return touched;
  };
}
