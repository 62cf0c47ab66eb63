import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answerApproval, carryOutAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { importDepsOf, importPortfolio } from '../../../jobs/import/import-portfolio.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import { retryRow } from '../../../jobs/operators/retry-row.ts';
import { actOnPlan, isEmpty } from '../../../jobs/plans/act-on-rows.ts';
import { makePlan } from '../../../jobs/plans/make-plan.ts';
import { feed } from '../../../jobs/rows/feed.ts';
import { isLimitlineError } from '../../../src/errors.ts';
import type { Say } from '../check/promises.ts';
import { type LedgerNow, type RowNow, supplierOf } from '../check/rows-now.ts';
import { pass } from '../run/process.ts';
import { type Act, type Desk, kindOf, truthOf, whatOf } from './desk.ts';

/** A signal that never aborts. It registers no listener, so that it does not keep references to finished waiters. */
export const NEVER = Object.assign(new AbortController().signal, { addEventListener: () => {} });

const whatsOf = (rows: readonly RowNow[]) => rows.map(({ what }) => what);

/** A fault that a command reports in one line is no broken promise. Returns whether the command reached its end. */
export async function orSaid(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    if (isLimitlineError(error)) return true;
    if (error instanceof Error && /timed out/.test(error.message)) return false;
    throw error;
  }
}

/** Sends a refused or cancelled row again as soon as there is one. */
export const retries =
  (portfolio: string, state: 'refused' | 'cancelled' = 'refused'): Act =>
  async (desk) => {
    const { context, simulation, by } = desk;
    const isMeant = (row: RowNow) => row.portfolio === portfolio && row.state === state;
    if (!(await desk.until(({ rows }) => rows.some(isMeant)))) return;
    const meant = (await desk.now()).rows.filter(isMeant);
    simulation.says.push({ is: 'wanted', whats: whatsOf(meant), atMs: simulation.nowMs() });
    await orSaid(() => retryRow({ portfolio, key: meant[0]?.key ?? '' }, by, context, state));
  };

/**
 * The process that carries out a plan sends a heartbeat at least this often; after that, another may continue it
 * (src/ledger/plans/plan.ts).
 */
const PLAN_LEFT_MS = 11_000;

/**
 * Plans to send all such rows again as soon as there is one, and sends the planned rows only. Another person continues
 * an abandoned plan.
 */
export const plans =
  (portfolio: string, state: 'refused' | 'cancelled' | 'held'): Act =>
  async (desk) => {
    const { context, simulation, by } = desk;
    const isMeant = (row: RowNow) => row.portfolio === portfolio && row.state === state;
    const action = state === 'held' ? 'resend' : 'retry';
    const isThere = ({ rows, portfolios }: LedgerNow) =>
      rows.some(isMeant) || (action === 'resend' && portfolios.some((one) => supplierOf(one)?.problem !== undefined));
    if (!(await desk.until(isThere))) return;
    await orSaid(async () => {
      const plan = await makePlan({ portfolio, action, filter: { states: [state] }, by }, context);
      if (isEmpty(plan)) return;
      const { rows, portfolios } = await desk.now();
      const meant = rows.filter(isMeant);
      for (const of of plan.supplier ? portfolios.filter(({ name }) => name === portfolio) : [])
        simulation.says.push({ is: 'resend', kind: 'company', what: supplierOf(of)?.name ?? '', lookedMs: plan.atMs });
      for (const row of action === 'resend' ? meant : []) {
        for (const what of whatOf(row))
          simulation.says.push({ is: 'resend', kind: kindOf(row), what, lookedMs: plan.atMs });
      }
      simulation.says.push({ is: 'wanted', whats: whatsOf(meant), atMs: plan.atMs });
      const carryOut = ({ context, by }: Desk) => actOnPlan(plan, { by, awaitMs: 10_000, signal: NEVER }, context);
      const left = `plan ${plan.id}`;
      simulation.left.set(left, async (later) => {
        await new Promise((resolve) => setTimeout(resolve, PLAN_LEFT_MS));
        if (await orSaid(() => carryOut(later))) simulation.left.delete(left);
      });
      await carryOut(desk);
      simulation.left.delete(left);
    });
  };

/** Cancels the unsent rows of a portfolio some time after its beginning. */
export const cancels =
  (portfolio: string, isTime: (now: LedgerNow) => boolean = () => true): Act =>
  async (desk) => {
    const { context, simulation, by } = desk;
    if (!(await desk.until((now) => now.rows.length > 0 && isTime(now)))) return;
    const meant = whatsOf((await desk.now()).rows.filter((row) => row.portfolio === portfolio));
    const [beganAt, beganMs] = [simulation.says.length, simulation.nowMs()];
    simulation.says.push({ is: 'gives up', whats: [portfolio], atMs: simulation.nowMs() });
    await orSaid(async () => {
      const { open } = await cancelRows({ portfolio, awaitMs: 35_000, by }, context);
      // Words about a row that are said meanwhile may have an effect later, also if their author began earlier.
      const isMeanwhile = (say: Say, at: number) => at >= beganAt || ('endMs' in say && (say.endMs ?? 0) >= beganMs);
      const others = simulation.says.flatMap((say, at) =>
        say.is === 'wanted' && isMeanwhile(say, at) ? say.whats : [],
      );
      const still = (await desk.now()).rows.filter((row) => row.portfolio !== portfolio && row.state !== 'cancelled');
      const whats = meant.filter((what) => !others.includes(what) && !whatsOf(still).includes(what));
      if (open === 0) simulation.says.push({ is: 'given up', whats, atMs: simulation.nowMs() });
    });
  };

export const pauses =
  (portfolio: string, ms = 0): Act =>
  async (desk) => {
    const { simulation, context } = desk;
    await desk.until(({ portfolios }) => portfolios.some(({ name }) => name === portfolio));
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    await orSaid(() => context.portfolios.pause(portfolio, 'by request'));
    const isPaused = (await desk.now()).portfolios.some(({ fields }) => fields.paused !== undefined);
    if (isPaused)
      simulation.says.push({ is: 'paused', whats: await whatsNow(portfolio, desk), atMs: simulation.nowMs() });
  };

export const whatsNow = async (portfolio: string, desk: Desk) =>
  whatsOf((await desk.now()).rows.filter((row) => row.portfolio === portfolio));

export const resumes =
  (portfolio: string): Act =>
  async (desk) => {
    const isPaused = await desk.until(({ portfolios }) =>
      portfolios.some(({ name, fields }) => name === portfolio && fields.paused !== undefined),
    );
    if (isPaused) await resumeNow(portfolio, desk);
  };

export async function resumeNow(portfolio: string, desk: Desk): Promise<void> {
  const { context, simulation } = desk;
  simulation.says.push({ is: 'resumed', whats: await whatsNow(portfolio, desk), atMs: simulation.nowMs() });
  await orSaid(async () => {
    await context.portfolios.resume(portfolio);
    await feed(context);
  });
}

/**
 * Answers for the first held row what became of its call: what the service knows, or that it is to be sent again
 * regardless.
 */
export const resolves =
  (how: 'as it is' | 'send again', portfolio?: string): Act =>
  async (desk) => {
    const isMeant = (row: RowNow) => row.state === 'held' && (portfolio ?? row.portfolio) === row.portfolio;
    if (!(await desk.until(({ rows }) => rows.some(isMeant)))) return;
    const held = (await desk.now()).rows.find(isMeant);
    if (held) await resolveRow(held, how, desk);
  };

export async function resolveRow(held: RowNow, how: 'as it is' | 'send again', desk: Desk): Promise<void> {
  const { context, simulation, by } = desk;
  const thing = how === 'as it is' ? truthOf(held, simulation.service, await desk.now()) : undefined;
  const lookedMs = simulation.nowMs();
  const resends = whatOf(held).map((what): Extract<Say, { is: 'resend' }> => {
    return { is: 'resend', kind: kindOf(held), what, lookedMs };
  });
  if (!thing) simulation.says.push(...resends);
  // An answer about a row means that the row continues, also if its portfolio was cancelled.
  const wanted: Extract<Say, { whats: unknown }> = {
    is: 'wanted',
    whats: [held.what],
    atMs: lookedMs,
    endMs: Number.POSITIVE_INFINITY,
  };
  simulation.says.push(wanted);
  const { portfolio, key, heldMs } = held;
  await orSaid(async () => {
    const { waits } = await resolveCalls({ portfolio, row: key, made: thing?.id, by, heldMs, lookedMs }, context);
    for (const say of resends) say.asks = waits !== undefined;
  });
  wanted.endMs = simulation.nowMs();
}

/** Answers the first open approval. */
export const answers =
  (answer: 'approve' | 'decline'): Act =>
  async (desk) => {
    if (await desk.until(({ approvals }) => approvals.some(({ standing }) => standing === 'waiting'))) {
      await answerNow(answer, desk);
    }
  };

export async function answerNow(answer: 'approve' | 'decline', desk: Desk): Promise<void> {
  const { context, simulation, by } = desk;
  await orSaid(async () => {
    const [approval] = await context.approvals.waiting();
    if (!approval) return;
    const { id, digest } = approval;
    const { rows: all } = await desk.now();
    const meant = all.filter((row) => row.approval === id && row.state === 'awaiting');
    const whats = [...whatsOf(meant), ...(approval.kind === 'import' && approval.supplier ? [approval.supplier] : [])];
    const rows = meant.map(({ portfolio, key }) => `${portfolio}/${key}`);
    const said = { whats, approval: id, rows, atMs: simulation.nowMs() };
    // An answer about a call says nothing about the request. A no may have an effect without this person being told so.
    const isOfRequest = approval.kind !== 'answer';
    const calls = meant.flatMap((row) => whatOf(row).map((what) => `${kindOf(row)} ${what}`));
    if (isOfRequest) simulation.says.push({ is: answer === 'approve' ? 'yes' : 'gives up', ...said });
    else if (answer === 'approve') simulation.says.push({ is: 'answer granted', whats: calls, atMs: said.atMs });
    const person = { by, roles: ['approver' as const] };
    const answered = await answerApproval({ id, answer, digest, words: 'thought over', person }, context);
    if (answered.is !== 'done') return;
    if (answer === 'decline' && !isOfRequest)
      simulation.says.push({ is: 'answer declined', whats: calls, atMs: simulation.nowMs() });
    const isNo = answer === 'decline' && isOfRequest;
    if (isNo) await sayNo({ is: 'no', whats, approval: id, atMs: simulation.nowMs() }, desk);
    await carryOutAnswered(answered.approval, context);
  });
}

/** A no has its effect later than it is given, so it is recorded before each yes that was given after it, or is about to be given. */
async function sayNo(no: Say & { approval: string }, { simulation: { says }, now }: Desk): Promise<void> {
  const { approvals } = await now();
  const answerOf = (id?: string) => approvals.find((one) => one.id === id);
  const isLater = ({ approval }: { approval?: string }) =>
    answerOf(approval)?.standing === 'waiting' || (answerOf(approval)?.turn ?? 0) > (answerOf(no.approval)?.turn ?? 0);
  const place = says.findIndex((say) => say.is === 'yes' && isLater(say));
  says.splice(place < 0 ? says.length : place, 0, no);
}

/** Actions of BullMQ and its board: failed jobs run again, and completed ones, too, at each step. */
export const board: Act = async ({ simulation, now }) => {
  for (let turn = 0; turn < 4; turn += 1) {
    const { rows } = await now();
    for (const queue of simulation.board.queues()) {
      await pass(`the board retries in ${queue.name}`, () => {
        for (const id of queue.ids(['failed'])) queue.retry(id);
        for (const { portfolio, key } of rows) {
          queue.add(NAMES[queue.name] ?? '', { portfolio, key }, { jobId: `${portfolio}/${key}`, attempts: 8 });
        }
      });
    }
    await new Promise((resolve) => setTimeout(resolve, 900));
  }
};

/** The names of the jobs of each queue (jobs/steps). */
const NAMES: Record<string, string> = {
  companies: 'create-company',
  documents: 'upload-documents',
  'buyer-limits': 'submit-buyer-limit',
};

/** How a file is imported: `papers` are the documents beside it, `supplier` is the supplier of these buyers. */
type Importing = { replace?: boolean; name?: string; papers?: readonly string[]; supplier?: string; first?: number };

/** Imports a file of these lines like `limitline import`. */
export const imports =
  (portfolio: string, lines: readonly string[], importing: Importing = {}): Act =>
  async ({ context, simulation, by }) => {
    const { replace = false, name = portfolio, papers, supplier, first } = importing;
    const wants = lines.slice(1).map(whatOfLine);
    simulation.says.push({ is: 'wanted', whats: wants, atMs: simulation.nowMs() });
    const calls = simulation.service.arrivals.length;
    if (first) simulation.says.push({ is: 'first', count: first, whats: wants, atMs: simulation.nowMs(), calls });
    const files = new Map([[`${name}-of-${by}.csv`, `${lines.join('\n')}\n`]]);
    if (supplier) files.set(`supplier-of-${by}.csv`, `name,country_code\n${supplier},DE\n`);
    for (const paper of papers ?? []) files.set(paper, `%PDF-1.7\n${paper}\n%%EOF\n`);
    const pathOf = (file: string) => join(simulation.dataDir, file);
    const write = () => Promise.all([...files].map(([file, text]) => writeFile(pathOf(file), text)));
    await pass('writes the file', write, { isQuiet: true });
    const path = pathOf(`${name}-of-${by}.csv`);
    const supplierPath = supplier && pathOf(`supplier-of-${by}.csv`);
    const beside = { supplierPath, documentsDir: papers && simulation.dataDir };
    const deps = { ...importDepsOf(context, NEVER), onBatch: () => {} };
    const left = `${portfolio} from ${path} by ${by}`;
    simulation.left.set(left, (desk) => imports(portfolio, lines, importing)({ ...desk, by }));
    if (await orSaid(() => importPortfolio({ portfolio, path, reading: {}, replace, by, first, ...beside }, deps)))
      simulation.left.delete(left);
  };

/** The columns of imported files. */
export const HEADER =
  'name,country_code,company_registration_number,requested_limit,contact_first_name,contact_last_name,contact_email';

export const lineFor = (buyer: string, limit: string) =>
  `${buyer},DE,HRB ${buyer.replace(/\D/g, '')},${limit},A,B,${buyer.replaceAll(' ', '-')}@example.com`;

/** The same with a column of documents. */
export const PAPERS_HEADER = `${HEADER},supporting_documents`;

const whatOfLine = (line: string) => {
  const cells = line.split(',');
  return `${cells[6]} ${cells[3]}`;
};
