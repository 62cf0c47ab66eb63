import { type AccessTable, BESIDE_PAGES, type PlaceLink } from '../access/access.ts';
import { jobsBoard } from '../board/add-board.ts';
import type { ConsoleApp } from '../console-app.ts';
import type { Hub } from '../events/hub.ts';
import { secondPersonPage } from './approvals/approvals-routes.ts';
import { archivedPortfoliosPage } from './archived/archived-routes.ts';
import { auditTrailPage } from './audit/audit-routes.ts';
import { buyersPage } from './buyers/buyers-routes.ts';
import { uploadedDecisionsPage } from './decisions/decisions-routes.ts';
import { downloadsPage } from './downloads/downloads-routes.ts';
import { serviceEventPage } from './events/events.ts';
import { systemHealthPage } from './health/health-routes.ts';
import { heldDeskPage } from './held/held-routes.ts';
import { keysPage } from './keys/keys-routes.ts';
import { machinesPage } from './machines/machines-routes.ts';
import { ownAccountPage } from './me/me-routes.ts';
import { newPortfolioPage } from './new/new-routes.ts';
import { nightlyTasksPage } from './nightly/nightly-routes.ts';
import { mergedRules, type Page } from './page.ts';
import { planningPage } from './plans/plans-routes.ts';
import { onePortfolioPage } from './portfolio/portfolio-routes.ts';
import { portfoliosPage } from './portfolios/portfolios-routes.ts';
import { stepQueuesPage } from './queues/queues-routes.ts';
import { oneRowPage } from './row/row-routes.ts';
import { statusMeaningsPage } from './statuses/statuses-routes.ts';
import { accountsPage } from './users/users-routes.ts';

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
