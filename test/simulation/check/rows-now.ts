import { OPEN_STATES } from '../../../src/ledger/schema/row.ts';
import type { VirtualRedis } from '../doubles/virtual-redis.ts';
import { KEYS } from '../run/process.ts';
import { takeSnapshot } from './snapshot.ts';

/** A row as it is in Redis, read without code of the product. */
export type RowNow = {
  portfolio: string;
  key: string;
  state: string;
  /** Why it did not end well, as the ledger keeps it. */
  problem: string;
  step: string;
  line: number;
  /** The name of its limit at the service double. */
  what: string;
  contact: unknown;
  company: string;
  /** The company that was made for it, if any. */
  companyId: string;
  buyer: string;
  /** The names of its documents. */
  documents: readonly string[];
  limit: string;
  approval: string;
  isReplaced: boolean;
  heldMs: number;
};

/** `imports` has every import that was ever started, as JSON by its content. */
export type PortfolioNow = { name: string; fields: Record<string, string>; imports: Record<string, string> };

export type LedgerNow = {
  rows: readonly RowNow[];
  portfolios: readonly PortfolioNow[];
  /** `turn` is the number of an approval's answer among all answers of the account. */
  approvals: readonly { id: string; portfolio: string; standing: string; kind: string; turn: number }[];
  calls: readonly { kind: string; key: string; fields: Record<string, string> }[];
  imports: readonly string[];
};

/** The supplier of a portfolio. */
export function supplierOf({ fields }: PortfolioNow): { name: string; id?: string; problem?: string } | undefined {
  if (fields.supplier === undefined) return undefined;
  const { body, ...rest } = JSON.parse(fields.supplier) as { body: { name: string }; id?: string; problem?: string };
  return { name: body.name, ...rest };
}

type Request = {
  name?: string;
  buyer?: string;
  documents?: { name: string }[];
  limit?: { requested_limit?: string; contact?: { email?: string } & Record<string, unknown> };
};

const read = new WeakMap<VirtualRedis, { changes: number; now: LedgerNow }>();

/** The whole ledger; it is read again only after something was written. */
export async function readLedger(redis: VirtualRedis): Promise<LedgerNow> {
  const changes = redis.changes();
  const last = read.get(redis);
  if (last?.changes === changes) return last.now;
  const now = await readNow(redis);
  read.set(redis, { changes, now });
  return now;
}

async function readNow(redis: VirtualRedis): Promise<LedgerNow> {
  const found = await takeSnapshot(redis);
  const rows: RowNow[] = [];
  const calls: LedgerNow['calls'][number][] = [];
  const approvals: LedgerNow['approvals'][number][] = [];
  for (const key of found.keys) {
    const [, portfolio = '', name] = /:row:([^:]*):([^:]*)$/.exec(key) ?? [];
    if (name !== undefined) rows.push(rowOf(portfolio, name, found.hash(key)));
    const [, kind = '', of] = /:call:([a-z]+):(.*)$/.exec(key) ?? [];
    if (of !== undefined) calls.push({ kind, key: of, fields: found.hash(key) });
    const [, id] = /5:approval:([^:]*)$/.exec(key) ?? [];
    if (id !== undefined) {
      const { standing = '', kind: asked = '', portfolio: asks = '', turn } = found.hash(key);
      approvals.push({ id, portfolio: asks, standing, kind: asked, turn: Number(turn ?? 0) });
    }
  }
  const portfolios = found.keys.flatMap((key) => {
    const [, name] = /:portfolio:([^:]*)$/.exec(key) ?? [];
    return name === undefined ? [] : [{ name, fields: found.hash(key), imports: found.hash(KEYS.allImports(name)) }];
  });
  const imports = portfolios.flatMap(({ name }) => [...found.sorted(KEYS.imports(name)).keys()]);
  return { rows, portfolios, approvals, calls, imports };
}

function rowOf(portfolio: string, key: string, fields: Record<string, string>): RowNow {
  const request = JSON.parse(fields.request ?? '{}') as Request;
  const { state = '', step = '', company = '', limit = '', approval = '', problem = '', replaced } = fields;
  return {
    portfolio,
    key,
    state,
    problem,
    step,
    line: Number(fields.line),
    what: `${request.limit?.contact?.email} ${request.limit?.requested_limit}`,
    contact: request.limit?.contact,
    company: request.name ?? company,
    companyId: company,
    buyer: request.buyer ?? '',
    documents: (request.documents ?? []).map(({ name }) => name),
    limit,
    approval,
    isReplaced: replaced !== undefined,
    heldMs: Number(fields.updated),
  };
}

/**
 * Approvals that somebody began to ask for, and was killed before a row waited. A killed import continues under its
 * approval.
 */
export const isAskedByNobody =
  ({ rows }: LedgerNow) =>
  ({ id, kind, standing }: LedgerNow['approvals'][number]): boolean =>
    standing === 'open' &&
    kind !== 'import' &&
    !rows.some(({ state, approval }) => state === 'awaiting' && approval === id);

export const isOpenState = (state: string) => (OPEN_STATES as readonly string[]).includes(state);

/** Whether a row continues without a person. */
export function isGoing(row: RowNow, { portfolios, approvals }: LedgerNow): boolean {
  const fields = portfolios.find(({ name }) => name === row.portfolio)?.fields ?? {};
  const standing = approvals.find(({ id }) => id === row.approval)?.standing;
  if (row.state === 'awaiting') return standing !== 'open' && standing !== 'waiting' && fields.archive === undefined;
  return isOpenState(row.state) && fields.paused === undefined && fields.archive === undefined;
}
