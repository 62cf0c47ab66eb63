import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { openMachines } from '../../scripts/machines/open-machines.ts';
import { openService } from '../../src/open-service.ts';
import { readBuild } from '../../src/version.ts';
import { makeFolder, openWorkplace } from '../support/workplace.ts';

const read = (name: string) => readFileSync(new URL(`../../examples/${name}`, import.meta.url), 'utf8');

type Rule = { alert: string; expr: string; annotations: { summary?: string; action?: string } };
const RULES: Rule[] = parse(read('alerts.yml')).groups.flatMap((group: { rules: Rule[] }) => group.rules);

type Panel = { title: string; targets: { expr: string }[] };
const DASHBOARD: { panels: Panel[]; templating: { list: { definition?: string }[] } } = JSON.parse(
  read('grafana-dashboard.json'),
);

/** The metrics in an expression: those of Limitline, and those of every Node process. */
function figuresIn(expr: string): string[] {
  const withoutText = expr.replace(/"[^"]*"/g, '');
  return withoutText.match(/\b(limitline|nodejs|process)_\w+/g) ?? [];
}

/** The metrics of a worker and an event listener: every name, also of a histogram’s parts, with its labels. */
async function exported(): Promise<Map<string, Set<string>>> {
  const { context, standIn } = await openWorkplace({ env: { LIMITLINE_INBOX: await makeFolder() } });
  await mkdir(context.settings.LIMITLINE_DATA, { recursive: true });
  await context.fleet.join('work');
  onTestFinished(() => context.fleet.leave());
  const machines = openMachines(context, { role: 'work', isWorking: () => true });
  onTestFinished(machines.close);
  const { onRowEnd } = machines.count(openService(context, standIn.url()));
  onRowEnd({ state: 'done' });
  machines.metrics.countEvents();
  // The pace has a metric of its own once a limit was met.
  await context.ledger.hset(context.keys.pace, 'rate', '10', 'phase', 'hold');
  const found = new Map<string, Set<string>>();
  for (const line of (await machines.metrics.text()).split('\n')) {
    const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? [];
    if (name === undefined) continue;
    const known = found.get(name) ?? new Set();
    found.set(name, new Set([...known, ...[...labels.matchAll(/(\w+)="/g)].map((match) => match[1] ?? '')]));
  }
  return found;
}

// Promise: dashboard-and-alerts
test('every metric and label of the dashboard and the alerts is exported', async () => {
  const names = await exported();
  const expressions = [
    ...RULES.map(({ expr }) => expr),
    ...DASHBOARD.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...DASHBOARD.templating.list.flatMap(({ definition }) => definition ?? []),
  ];
  const unknown = expressions.flatMap(figuresIn).filter((name) => !names.has(name));
  expect(unknown).toEqual([]);
  for (const expr of expressions) {
    expect(figuresIn(expr).length, expr).toBeGreaterThan(0);
    for (const [, name = '', labels = ''] of expr.matchAll(/(limitline_\w+)\{([^}]*)\}/g)) {
      const asked = [...labels.matchAll(/(\w+)\s*[=!]~?"/g)].map((match) => match[1]);
      expect([...(names.get(name) ?? [])], expr).toEqual(expect.arrayContaining(asked));
    }
  }
});

test('the version in the metrics is the one that Health shows, with its commit', async () => {
  const { context } = await openWorkplace();
  const machines = openMachines(context, { role: 'console' });
  onTestFinished(machines.close);
  expect(await machines.metrics.text()).toContain(`limitline_build_info{version="${readBuild()}",`);
});

test('docs/metrics.md lists exactly the exported metrics', async () => {
  const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
  const named = [...page.matchAll(/^\| `(limitline_\w+)`/gm)].map((match) => match[1]);
  const ours = [...(await exported()).keys()].filter((name) => name.startsWith('limitline_'));
  const whole = new Set(ours.map((name) => name.replace(/_(bucket|sum|count)$/, '')));
  expect([...named].sort()).toEqual([...whole].sort());
});

test('every exported metric is on the dashboard or in an alert', async () => {
  const text = read('grafana-dashboard.json') + read('alerts.yml');
  const ours = [...(await exported()).keys()].filter((name) => name.startsWith('limitline_'));
  // Metrics to be joined with others, or for manual queries.
  const besides = [
    'limitline_build_info',
    'limitline_portfolios',
    'limitline_portfolios_open',
    'limitline_portfolios_archived',
    'limitline_pace_limiting',
  ];
  const isPart = (name: string) => /_(sum|count)$/.test(name);
  const unseen = ours.filter((name) => !text.includes(name) && !besides.includes(name) && !isPart(name));
  expect(unseen, 'put it into examples/grafana-dashboard.json or examples/alerts.yml').toEqual([]);
});

test.each(RULES)('the alert $alert has a summary and an action', ({ annotations }) => {
  expect(annotations.summary).toMatch(/\w{3}/);
  expect(annotations.action).toMatch(/\w{3}.*\.?$/);
});

// The alerts that an operator needs, and the metrics that they use.
// Promise: dashboard-and-alerts
test.each([
  ['LimitlineRedisNearlyFull', ['limitline_redis_memory_used_bytes', 'limitline_redis_memory_max_bytes']],
  ['LimitlineRedisOlder', ['limitline_blocked']],
  ['LimitlineDiskNearlyFull', ['limitline_data_free_bytes', 'limitline_data_size_bytes']],
  ['LimitlineNobodyOnDuty', ['limitline_on_duty']],
  ['LimitlineTaskFailed', ['limitline_task_failure_timestamp_seconds', 'limitline_task_success_timestamp_seconds']],
  ['LimitlineTaskNotDone', ['limitline_task_success_timestamp_seconds']],
  ['LimitlineInboxWaits', ['limitline_inbox_files']],
  ['LimitlineInboxRejected', ['limitline_inbox_files']],
  ['LimitlineWorkerQuiet', ['limitline_processes']],
  ['LimitlineVersionsDiffer', ['limitline_processes']],
  // Rows that wait for approval and rows of paused portfolios are not among the rows to send.
  ['LimitlineStandsStill', ['limitline_calls_total', 'limitline_rows_to_send']],
  ['LimitlineNoWorkers', ['limitline_workers', 'limitline_rows_to_send']],
])('the alert %s uses the metrics %j', (name, figures) => {
  expect(figuresIn(RULES.find(({ alert }) => alert === name)?.expr ?? '')).toEqual(figures);
});
