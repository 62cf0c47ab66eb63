import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { writeArchivedResults } from '../../jobs/archive/look-at-archive.ts';
import { shownName } from '../../jobs/drafts/upload-names.ts';
import { exportResults } from '../../jobs/export/export-results.ts';
import { makeHeldPlans } from '../../jobs/operators/held-plans.ts';
import { setMeaning, withNearest } from '../../jobs/operators/mistyped-status.ts';
import { makeDecisionsDesk } from '../../jobs/operators/upload-decisions.ts';
import { heldLetter, makeHeldDesk } from '../../jobs/story/held-desk.ts';
import { exportLines } from '../../src/audit/read-trail.ts';
import type { ArchivedPageFunctions } from '../../src/console/pages/archived/archived-routes.ts';
import type { AuditPageFunctions, AuditQuery } from '../../src/console/pages/audit/audit-routes.ts';
import type { DecisionsPageFunctions } from '../../src/console/pages/decisions/decisions-routes.ts';
import type { DownloadFunctions } from '../../src/console/pages/downloads/downloads-routes.ts';
import type { HeldPageFunctions } from '../../src/console/pages/held/held-routes.ts';
import type { PageFunctions } from '../../src/console/pages/index.ts';
import type { MachineFunctions } from '../../src/console/pages/machines/machines-routes.ts';
import type { StatusesPageFunctions } from '../../src/console/pages/statuses/statuses-routes.ts';
import type { UserAnswer, UsersPageFunctions } from '../../src/console/pages/users/users-routes.ts';
import type { Context } from '../../src/context.ts';
import { isLimitlineError } from '../../src/errors.ts';
import { archivedFault } from '../../src/ledger/schema/archives.ts';
import { makeInitialPassword } from '../../src/people/passwords/password-rules.ts';
import { DAY_MS } from '../../src/time-units.ts';
import { type Machines, openMachines } from '../machines/open-machines.ts';
import { makeWorkFactsReader } from '../progress/work-facts.ts';
import { approvalsPageFunctions } from './approvals.ts';
import { healthPageFunctions } from './health.ts';
import { newPageFunctions } from './new.ts';
import { eventPageFunctions, nightlyPageFunctions } from './nightly.ts';
import { mePageFunctions, wordsOfFault } from './people/own-account.ts';
import { makeRoleReader, makeWhoMay } from './people/who-may.ts';
import { portfolioPageFunctions, portfoliosPageFunctions } from './portfolios.ts';
import { boardFunctions, queuesPageFunctions } from './queues.ts';
import { buyersPageFunctions, plansPageFunctions, rowPageFunctions } from './rows.ts';

export function consoleFunctions(context: Context, namesOf = makeRoleReader(context)): PageFunctions {
  const workFactsOf = makeWorkFactsReader(context);
  const whoMay = makeWhoMay(context, namesOf);
  return {
    approvals: approvalsPageFunctions(context),
    archived: archivedPageFunctions(context),
    statuses: statusesPageFunctions(context),
    plans: plansPageFunctions(context, whoMay),
    decisions: decisionsPageFunctions(context),
    downloads: downloadFunctions(context),
    health: healthPageFunctions(context),
    held: heldPageFunctions(context),
    row: rowPageFunctions(context, whoMay),
    buyers: buyersPageFunctions(context),
    event: eventPageFunctions(context),
    board: boardFunctions(context),
    portfolios: portfoliosPageFunctions(context, { workFactsOf, namesOf, whoMay }),
    portfolio: portfolioPageFunctions(context, { workFactsOf, whoMay }),
    new: newPageFunctions(context),
    queues: queuesPageFunctions(context),
    machines: machineFunctions(context),
    audit: auditPageFunctions(context),
    nightly: nightlyPageFunctions(context),
    me: mePageFunctions(context),
    users: usersPageFunctions(context),
  };
}

function archivedPageFunctions({ archives }: Pick<Context, 'archives'>): ArchivedPageFunctions {
  return {
    async page(from, count) {
      const [archived, total] = await Promise.all([archives.page(from, count), archives.count()]);
      return { archived, total };
    },
  };
}

function statusesPageFunctions(context: Context): StatusesPageFunctions {
  return {
    known: async () => withNearest(await context.statusMeanings.known(await context.portfolios.names())),
    set: (status, meaning, by, seen) => setMeaning(status, meaning, by, context, seen),
  };
}

function decisionsPageFunctions(context: Context): DecisionsPageFunctions {
  const desk = makeDecisionsDesk(context);
  return {
    async look(portfolio, upload, by) {
      await context.portfolios.mustBeHere(portfolio);
      return desk.look(portfolio, { ...upload, fileName: shownName(upload.fileName) }, by);
    },
    name: desk.name,
    take: desk.take,
    taken: desk.taken,
  };
}

function heldPageFunctions(context: Context): HeldPageFunctions {
  const plans = makeHeldPlans(context);
  return { ...makeHeldDesk(context), ...plans, letter: (items, others) => heldLetter(items, others, context) };
}

/** The functions that answer monitoring systems. Measuring begins with the first question. */
function machineFunctions(context: Context): MachineFunctions {
  let opened: Machines | undefined;
  return {
    answer: (question) => {
      opened ??= openMachines(context, { role: 'console' });
      return opened.answer(question);
    },
  };
}

const SHOWN = 50;

/** The most audit entries that are read to fill one page of a search: some thirty milliseconds. */
const WALK = 5_000;

function auditPageFunctions({ audit }: Pick<Context, 'audit'>): AuditPageFunctions {
  /** The number after the last entry of a day. */
  const behind = async (day: string): Promise<number | undefined> =>
    (await audit.read.firstSince(Date.parse(day) + DAY_MS))?.place;
  return {
    page: async ({ by, what, about, day, before }: AuditQuery) => {
      const filter = {
        ...(by === undefined ? {} : { by }),
        ...(what === undefined ? {} : { what }),
        ...(about === undefined ? {} : { about }),
      };
      const top = before ?? (day === undefined ? undefined : await behind(day));
      const [page, total] = await Promise.all([
        audit.read.page({ before: top, count: SHOWN, filter, walk: WALK }),
        audit.read.count(),
      ]);
      return { ...page, total, walk: WALK };
    },
    export: () => Readable.from(exportLines(audit.read)),
  };
}

function downloadFunctions(context: Context): DownloadFunctions {
  return {
    async write(what, to, signal) {
      const archived = await context.archives.read(what.portfolio);
      if (!archived || archived.is === 'archiving') {
        return exportResults({ ...what, likeInput: 'cells' }, to, { ...context, signal });
      }
      // The archive has the CSV of all results as a file. Everything else would need the rows.
      if (archived.is !== 'archived' || what.only !== 'all' || what.format !== 'csv' || what.convention) {
        throw archivedFault(archived);
      }
      const place = { account: context.account, dataDir: context.settings.LIMITLINE_DATA };
      return writeArchivedResults(archived, place, to, signal);
    },

    async original(portfolio, importNumber) {
      const imports = await context.portfolios.allImports(portfolio);
      const last = (await context.portfolios.read(portfolio)).file?.number;
      const known = imports.find(({ number }) => number === (importNumber ?? last));
      if (!known) return undefined;
      try {
        const { path, sizeBytes } = context.imports.open(known.id);
        return { fileName: known.fileName, sizeBytes, content: () => createReadStream(path) };
      } catch (error) {
        if (isLimitlineError(error, 'FILE', 'NOT_FOUND')) return undefined;
        throw error;
      }
    },
  };
}

function usersPageFunctions({ people }: Context): UsersPageFunctions {
  const { users } = people;
  const answerOf = async <T>(work: () => Promise<unknown>, made: T): Promise<UserAnswer<T>> => {
    const words = await wordsOfFault(work);
    return words === undefined ? { is: 'done', made } : { is: 'no', words };
  };
  return {
    list: (query) => users.list(query),
    count: () => users.count(),
    read: (name) => users.read(name),
    add: ({ name, roles }) => {
      const password = makeInitialPassword();
      return answerOf(() => users.add({ name, roles, password, mustChange: true }), { password });
    },
    setRoles: (name, roles) => answerOf(() => users.setRoles(name, roles), undefined),
    resetPassword: (name) => {
      const password = makeInitialPassword();
      return answerOf(() => users.setPassword(name, password, { mustChange: true }), { password });
    },
    resetFactor: (name) => answerOf(() => users.resetFactor(name), undefined),
    endSessions: (name) => answerOf(() => people.sessions.endAll(name), undefined),
    elsewhere: () => people.elsewhere.list(),
    isElsewhere: (name) => people.elsewhere.isKnown(name),
    remove: (name) => answerOf(() => users.remove(name), undefined),
  };
}
