import type { RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import { scanned } from '../schema/redis-reads.ts';
import type { FoundItem } from './checks.ts';
import type { NightReport, ReportFinding } from './night-report.ts';

/** Fields of a report that are read at a time: findings, and up to twenty examples each. */
const READ_AT_ONCE = 50;

/** What stands in the place of what was found of a forgotten portfolio. */
const FORGOTTEN_WORDS = 'what was found of it was forgotten with the portfolio';

/** Whether an item tells of the portfolio. */
export type IsOurs = (item: Pick<FoundItem, 'portfolio' | 'detail'>) => boolean;

/**
 * Takes what the reports of nights say of a portfolio out of them. How many rows each finding was of stays, and such a finding is gone:
 * the next night's report does not speak of it again.
 */
export function makeForgetInReports({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  /** What is to be written of a field; nothing where it stays. */
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

  /** The page that is to be printed is of all portfolios: it goes as a whole. */
  async function leavePage(id: string): Promise<void> {
    const text = await connection.hget(keys.report(id), 'summary');
    const { files, ...report } = JSON.parse(text ?? '{}') as NightReport;
    if (files?.page === undefined) return;
    const { page: _page, ...others } = files;
    await connection.hset(keys.report(id), 'summary', JSON.stringify({ ...report, files: others }));
  }

  /** @returns the ids of the reports that spoke of it */
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
