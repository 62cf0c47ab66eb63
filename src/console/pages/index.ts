import type { AccessTable, PlaceLink } from '../access/access.ts';
import { UNDECLARED } from '../access/access-table.ts';
import { BESIDE_PAGES } from '../access/rules.ts';
import { addBoard } from '../board/add-board.ts';
import type { BoardFunctions } from '../board/board-functions.ts';
import type { ConsoleApp } from '../console-app.ts';
import type { Hub } from '../events/hub.ts';
import { maskedView } from '../privacy/masked-view.ts';
import { type ApprovalsPageFunctions, addApprovalsPage } from './approvals/add-approvals-page.ts';
import { archivedPortfoliosPage } from './archived/add-archived-page.ts';
import { auditTrailPage } from './audit/add-audit-page.ts';
import { addDownloads, type DownloadFunctions } from './downloads/add-downloads.ts';
import { addEventPage, type EventPageFunctions } from './events/add-event-page.ts';
import { addHealthPage, type HealthPageFunctions } from './health/add-health-page.ts';
import { addHeldPage, type HeldPageFunctions } from './held/add-held-page.ts';
import { keysPage } from './keys/add-keys-page.ts';
import { addMachines, type MachineFunctions } from './machines/add-machines.ts';
import { addMePage, type MePageFunctions } from './me/add-me-page.ts';
import { addNewPage } from './new/add-new-page.ts';
import type { NewPageFunctions } from './new/new-page-functions.ts';
import { addNightlyPage } from './nightly/add-nightly-page.ts';
import type { NightlyPageFunctions } from './nightly/nightly-functions.ts';
import type { ScheduleFunctions } from './nightly/schedule-view.ts';
import { mergedRules, type Page } from './page.ts';
import { addPlansPage, type PlansPageFunctions } from './plans/add-plans-page.ts';
import { addPortfolioPage, type PortfolioPageFunctions } from './portfolio/add-portfolio-page.ts';
import { addPortfoliosPage, type PortfoliosPageFunctions } from './portfolios/add-portfolios-page.ts';
import { addQueuesPage, type QueuesPageFunctions } from './queues/add-queues-page.ts';
import { addRowPage, type RowPageFunctions } from './row/add-row-page.ts';
import { addUsersPage, type UsersPageFunctions } from './users/add-users-page.ts';

/**
 * All pages, by the names under which scripts/console/functions.ts has their functions. Their entries stand in this order in the
 * navigation.
 */
const PAGES = {
  archived: archivedPortfoliosPage,
  audit: auditTrailPage,
  keys: keysPage,
};

type Pages = typeof PAGES;
type FunctionsOf<P> = P extends Page<infer F> ? F : never;

/**
 * Who may use which address; no other code decides it. The console does not start while a registered route has no entry
 * (access/add-access.ts). Pages show the actions that the table allows (`can`), and a test tries each route with each role.
 * An entry's name is a method and a route's pattern; `HEAD` counts as `GET`.
 */
export const ACCESS: AccessTable = mergedRules([
  BESIDE_PAGES,
  UNDECLARED,
  ...Object.values(PAGES).map(({ rules }) => rules()),
]);

/** The navigation. */
const OLD_PLACES: PlaceLink[] = [
  { at: 'portfolios', href: '/', words: 'Portfolios' },
  { at: 'new', href: '/new', words: 'New' },
  { at: 'held', href: '/held', words: 'Held' },
  { at: 'approvals', href: '/approvals', words: 'Approvals' },
  { at: 'nightly', href: '/nightly', words: 'Nightly' },
  { at: 'queues', href: '/work', words: 'Queues' },
  { at: 'health', href: '/health', words: 'Health' },
  { at: 'users', href: '/users', words: 'Users' },
];
export const PLACES: readonly PlaceLink[] = [
  ...OLD_PLACES,
  ...Object.values(PAGES).flatMap(({ entry }) => entry ?? []),
];

/** The functions of all pages that need some. */
export type PageFunctions = {
  [N in keyof Pages as FunctionsOf<Pages[N]> extends undefined ? never : N]: FunctionsOf<Pages[N]>;
} & {
  board: BoardFunctions;
  portfolios: PortfoliosPageFunctions;
  portfolio: PortfolioPageFunctions;
  approvals: ApprovalsPageFunctions;
  nightly: NightlyPageFunctions;
  plans: PlansPageFunctions;
  new: NewPageFunctions;
  queues: QueuesPageFunctions;
  schedule: ScheduleFunctions;
  machines: MachineFunctions;
  downloads: DownloadFunctions;
  health: HealthPageFunctions;
  held: HeldPageFunctions;
  row: RowPageFunctions;
  event: EventPageFunctions;
  me: MePageFunctions;
  users: UsersPageFunctions;
};

/** Pages that show nothing about buyers, so their data is masked for nobody. */
const OURS = ['health', 'machines', 'schedule', 'me', 'users'] as const satisfies readonly (keyof PageFunctions)[];

/** Pages that show buyers' files and the service's messages unmasked. */
const AS_IT_IS = ['new', 'downloads', 'event'] as const satisfies readonly (keyof PageFunctions)[];

/** Adds all pages. What each shows of buyers is masked by the rights of the person who asks (privacy/masked-view.ts). */
export function addPages(app: ConsoleApp, hub: Hub, functions: PageFunctions): void {
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort(new Error('the console stops')));
  for (const [name, page] of Object.entries(PAGES) as [string, Page<unknown>][]) {
    page.add(app, (functions as Record<string, unknown>)[name], { hub, stopping: stopping.signal });
  }
  const given = maskedView(functions, { ours: OURS, asItIs: AS_IT_IS });
  addBoard(app, given.board);
  addPortfoliosPage(app, hub, given.portfolios);
  addPortfolioPage(app, hub, given.portfolio);
  addApprovalsPage(app, given.approvals);
  addPlansPage(app, hub, given.plans);
  addNewPage(app, hub, given.new);
  addNightlyPage(app, { ...given.nightly, schedule: given.schedule });
  addQueuesPage(app, hub, given.queues);
  addMachines(app, given.machines);
  addDownloads(app, given.downloads);
  addHealthPage(app, given.health);
  addHeldPage(app, given.held);
  addRowPage(app, given.row);
  addEventPage(app, given.event);
  addMePage(app, given.me);
  addUsersPage(app, given.users);
}
