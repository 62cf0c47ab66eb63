import type { AccessTable, PlaceLink } from '../access/access.ts';
import { BESIDE_PAGES } from '../access/rules.ts';
import { jobsBoard } from '../board/add-board.ts';
import type { ConsoleApp } from '../console-app.ts';
import type { Hub } from '../events/hub.ts';
import { secondPersonPage } from './approvals/add-approvals-page.ts';
import { archivedPortfoliosPage } from './archived/add-archived-page.ts';
import { auditTrailPage } from './audit/add-audit-page.ts';
import { buyersPage } from './buyers/add-buyers-page.ts';
import { uploadedDecisionsPage } from './decisions/add-decisions-page.ts';
import { downloadsPage } from './downloads/add-downloads.ts';
import { serviceEventPage } from './events/add-event-page.ts';
import { systemHealthPage } from './health/add-health-page.ts';
import { heldDeskPage } from './held/add-held-page.ts';
import { keysPage } from './keys/add-keys-page.ts';
import { machinesPage } from './machines/add-machines.ts';
import { ownAccountPage } from './me/add-me-page.ts';
import { newPortfolioPage } from './new/add-new-page.ts';
import { nightlyTasksPage } from './nightly/add-nightly-page.ts';
import { mergedRules, type Page } from './page.ts';
import { planningPage } from './plans/add-plans-page.ts';
import { onePortfolioPage } from './portfolio/add-portfolio-page.ts';
import { portfoliosPage } from './portfolios/add-portfolios-page.ts';
import { stepQueuesPage } from './queues/add-queues-page.ts';
import { oneRowPage } from './row/add-row-page.ts';
import { statusMeaningsPage } from './statuses/add-statuses-page.ts';
import { accountsPage } from './users/add-users-page.ts';

/**
 * All pages, by the names under which scripts/console/functions.ts has their functions. Their entries stand in this order in the
 * navigation.
 */
const PAGES = {
  portfolios: portfoliosPage,
  portfolio: onePortfolioPage,
  row: oneRowPage,
  buyers: buyersPage,
  decisions: uploadedDecisionsPage,
  downloads: downloadsPage,
  archived: archivedPortfoliosPage,
  statuses: statusMeaningsPage,
  plans: planningPage,
  new: newPortfolioPage,
  held: heldDeskPage,
  approvals: secondPersonPage,
  nightly: nightlyTasksPage,
  event: serviceEventPage,
  queues: stepQueuesPage,
  board: jobsBoard,
  health: systemHealthPage,
  machines: machinesPage,
  users: accountsPage,
  audit: auditTrailPage,
  me: ownAccountPage,
  keys: keysPage,
};

type Pages = typeof PAGES;
type FunctionsOf<P> = P extends Page<infer F> ? F : never;

/** The functions of the pages, by page. Pages that need no functions are left out. */
export type PageFunctions = {
  [N in keyof Pages as FunctionsOf<Pages[N]> extends undefined ? never : N]: FunctionsOf<Pages[N]>;
};

/**
 * The access table: the rule of each address, by a method and a route's pattern; `HEAD` counts as `GET`. No other code decides
 * who may use an address. The console does not start while a registered route has no entry (access/add-access.ts). Pages show the
 * actions that the table allows (`can`), and a test tries each route with each role.
 */
export const ACCESS: AccessTable = mergedRules([BESIDE_PAGES, ...Object.values(PAGES).map(({ rules }) => rules())]);

/** The links of the navigation, in the order of the pages. */
export const PLACES: readonly PlaceLink[] = Object.values(PAGES).flatMap(({ entry }) => entry ?? []);

/** Adds all pages. What each shows of buyers is masked by the rights of the person who asks (privacy/masked-view.ts). */
export function addPages(app: ConsoleApp, hub: Hub, functions: PageFunctions): void {
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort(new Error('the console stops')));
  for (const [name, page] of Object.entries(PAGES) as [string, Page<unknown>][]) {
    page.add(app, (functions as Record<string, unknown>)[name], { hub, stopping: stopping.signal });
  }
}
