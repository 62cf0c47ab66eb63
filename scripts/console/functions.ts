import type { PageFunctions } from '../../src/console/pages/index.ts';
import type { Context } from '../../src/context.ts';
import { approvalsPageFunctions } from './approvals.ts';
import { archivedPageFunctions } from './archived.ts';
import { auditPageFunctions } from './audit.ts';
import { downloadFunctions } from './downloads.ts';
import { eventPageFunctions } from './events.ts';
import { healthPageFunctions } from './health.ts';
import { heldPageFunctions } from './held.ts';
import { machineFunctions } from './machines.ts';
import { newPageFunctions } from './new.ts';
import { nightlyPageFunctions } from './nightly/nightly.ts';
import { scheduleFunctions } from './nightly/schedule.ts';
import { mePageFunctions } from './people/me.ts';
import { usersPageFunctions } from './people/users.ts';
import { plansPageFunctions } from './plans.ts';
import { portfolioPageFunctions } from './portfolio.ts';
import { portfoliosPageFunctions } from './portfolios.ts';
import { boardFunctions, queuesPageFunctions } from './queues.ts';
import { rowPageFunctions } from './row.ts';

/** What each page can do and know, from the jobs and the ledger. */
export function consoleFunctions(context: Context): PageFunctions {
  return {
    approvals: approvalsPageFunctions(context),
    archived: archivedPageFunctions(context),
    plans: plansPageFunctions(context),
    downloads: downloadFunctions(context),
    health: healthPageFunctions(context),
    held: heldPageFunctions(context),
    row: rowPageFunctions(context),
    event: eventPageFunctions(context),
    board: boardFunctions(context),
    portfolios: portfoliosPageFunctions(context),
    portfolio: portfolioPageFunctions(context),
    new: newPageFunctions(context),
    queues: queuesPageFunctions(context),
    schedule: scheduleFunctions(context),
    machines: machineFunctions(context),
    audit: auditPageFunctions(context),
    nightly: nightlyPageFunctions(context),
    me: mePageFunctions(context),
    users: usersPageFunctions(context),
  };
}
