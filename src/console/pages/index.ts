import { addBoard } from '../board/add-board.ts';
import type { BoardFunctions } from '../board/board-functions.ts';
import type { ConsoleApp } from '../console-app.ts';
import type { Hub } from '../events/hub.ts';
import { maskedView } from '../privacy/masked-view.ts';
import { type ApprovalsPageFunctions, addApprovalsPage } from './approvals/add-approvals-page.ts';
import { type ArchivedPageFunctions, addArchivedPage } from './archived/add-archived-page.ts';
import { type AuditPageFunctions, addAuditPage } from './audit/add-audit-page.ts';
import { addDownloads, type DownloadFunctions } from './downloads/add-downloads.ts';
import { addEventPage, type EventPageFunctions } from './events/add-event-page.ts';
import { addHealthPage, type HealthPageFunctions } from './health/add-health-page.ts';
import { addHeldPage, type HeldPageFunctions } from './held/add-held-page.ts';
import { addKeysPage } from './keys/add-keys-page.ts';
import { addMachines, type MachineFunctions } from './machines/add-machines.ts';
import { addMePage, type MePageFunctions } from './me/add-me-page.ts';
import { addNewPage } from './new/add-new-page.ts';
import type { NewPageFunctions } from './new/new-page-functions.ts';
import { addNightlyPage } from './nightly/add-nightly-page.ts';
import type { NightlyPageFunctions } from './nightly/nightly-functions.ts';
import type { ScheduleFunctions } from './nightly/schedule-view.ts';
import { addPlansPage, type PlansPageFunctions } from './plans/add-plans-page.ts';
import { addPortfolioPage, type PortfolioPageFunctions } from './portfolio/add-portfolio-page.ts';
import { addPortfoliosPage, type PortfoliosPageFunctions } from './portfolios/add-portfolios-page.ts';
import { addQueuesPage, type QueuesPageFunctions } from './queues/add-queues-page.ts';
import { addRowPage, type RowPageFunctions } from './row/add-row-page.ts';
import { addUsersPage, type UsersPageFunctions } from './users/add-users-page.ts';

/** The functions that each page gets, made in scripts/console/functions.ts. */
export type PageFunctions = {
  board: BoardFunctions;
  portfolios: PortfoliosPageFunctions;
  portfolio: PortfolioPageFunctions;
  archived: ArchivedPageFunctions;
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
  audit: AuditPageFunctions;
  me: MePageFunctions;
  users: UsersPageFunctions;
};

/** Pages that show nothing about buyers, so their data is masked for nobody. */
const OURS = [
  'health',
  'machines',
  'schedule',
  'audit',
  'me',
  'users',
] as const satisfies readonly (keyof PageFunctions)[];

/** Pages that show buyers' files and the service's messages unmasked. */
const AS_IT_IS = ['new', 'downloads', 'event'] as const satisfies readonly (keyof PageFunctions)[];

/** Adds all pages. What each shows of buyers is masked by the rights of the person who asks (privacy/masked-view.ts). */
export function addPages(app: ConsoleApp, hub: Hub, functions: PageFunctions): void {
  const given = maskedView(functions, { ours: OURS, asItIs: AS_IT_IS });
  addKeysPage(app);
  addBoard(app, given.board);
  addPortfoliosPage(app, hub, given.portfolios);
  addPortfolioPage(app, hub, given.portfolio);
  addArchivedPage(app, given.archived);
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
  addAuditPage(app, given.audit);
  addMePage(app, given.me);
  addUsersPage(app, given.users);
}
