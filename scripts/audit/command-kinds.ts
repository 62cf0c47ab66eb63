import { basename } from 'node:path';
import { EXPORTED } from '../../src/audit/entry.ts';
import { asksFirst } from '../options/resolve-options.ts';

/** A command's arguments in order, and its options by name. */
export type Given = { args: readonly unknown[]; options: Readonly<Record<string, unknown>> };

type CommandAudit = { about?: string | undefined; facts?: Readonly<Record<string, unknown>> };

export type CommandKind =
  /** Changes nothing. */
  | 'reads'
  /** Acts for others, such as the console. Their actions are audited where they happen. */
  | 'serves'
  /** Audits under another name than the system user's: `approve --as USER`. */
  | 'audits itself'
  | {
      /** The audit trail's name for what the command does: `<thing> <verb>`. */
      what: string;
      /** Describes the change; undefined for a dry run. */
      audit: (given: Given) => CommandAudit | undefined;
      /** Whether the command asks first and calls `auditCommand` itself after the yes, because a plan alone is no entry. */
      asks?: (given: Given) => boolean;
    };

/**
 * All commands, and what they change. A command that is missing here does not begin. One that changes something is audited
 * where its context is opened (scripts/opening/on-portfolio.ts).
 */
export const COMMAND_KINDS: Readonly<Record<string, CommandKind>> = {
  check: 'reads',
  portfolios: 'reads',
  report: 'reads',
  statuses: {
    what: 'status meaning set',
    audit: (given) => (given.args[0] === undefined ? undefined : onNamed(given)),
  },
  decisions: {
    what: 'decisions taken in',
    audit: ({ args, options }) => (options.dryRun === true ? undefined : { facts: { file: fileOf(args[0]) } }),
  },
  'audit list': 'reads',
  'audit verify': 'reads',
  schedule: 'reads',
  'schedule run': { what: 'nightly task asked for', audit: onNamed },
  'rule add': { what: 'nightly rule added', audit: onNamed },
  'rule list': 'reads',
  'rule remove': { what: 'nightly rule removed', audit: onNamed },
  'audit export': { what: EXPORTED, audit: ({ options }) => ({ facts: { out: fileOf(options.out) } }) },
  events: 'reads',
  'events export': { what: 'events exported', audit: ({ options }) => ({ facts: { out: fileOf(options.out) } }) },
  'events try': 'reads',
  'events take': { what: 'decisions taken in', audit: () => ({ facts: { from: 'events' } }) },
  up: 'serves',
  work: 'serves',
  console: { what: 'console link made', audit: ({ options }) => (options.link === true ? {} : undefined) },
  nightly: 'serves',
  service: 'serves',
  'events listen': 'serves',
  'acknowledge-rollback': { what: 'older Redis accepted', audit: () => ({}) },
  approve: 'audits itself',
  decline: 'audits itself',
  run: { what: 'file imported', audit: (given) => importAudit('run', given), asks: () => true },
  import: { what: 'file imported', audit: (given) => importAudit('import', given), asks: () => true },
  retry: { what: 'rows retried', audit: onNamed, asks: ({ options }) => asksFirst(options) },
  cancel: { what: 'rows cancelled', audit: onNamed },
  resolve: {
    what: 'held calls resolved',
    audit: onNamed,
    // A file is refused as a whole where a line of it is wrong: then there is no entry, because nothing was done.
    asks: ({ options }) => options.all === true || options.from !== undefined || asksFirst(options),
  },
  sessions: { what: 'hosted sessions asked for', audit: onNamed },
  pause: { what: 'line paused', audit: onNamed },
  resume: { what: 'line resumed', audit: onNamed },
  archive: { what: 'portfolio archived', audit: onNamed, asks: () => true },
  restore: { what: 'portfolio restored', audit: onNamed },
  recover: { what: 'ledger recovered', audit: recoverAudit },
  forget: { what: 'portfolio forgotten', audit: onNamed, asks: () => true },
  reconcile: { what: 'ledger reconciled', audit: ({ options }) => (options.last === true ? undefined : {}) },
  notices: 'reads',
  'notices test': { what: 'test notice sent', audit: () => ({}) },
  inbox: 'reads',
  'mapping list': 'reads',
  'mapping keep': {
    what: 'mapping kept',
    audit: ({ args }) => ({ about: String(args[0]), facts: { file: fileOf(args[1]) } }),
  },
  'mapping forget': { what: 'mapping forgotten', audit: onNamed },
  'user list': 'reads',
  'user add': { what: 'user added', audit: onNamed },
  'user password': { what: 'password set', audit: onNamed },
  'user roles': { what: 'roles set', audit: onNamed },
  'user factor': { what: 'second factor reset', audit: onNamed },
  'user sessions': {
    what: 'sessions of a user ended',
    audit: ({ args, options }) => (options.end === true ? onNamed({ args, options: {} }) : undefined),
  },
  'user remove': { what: 'user removed', audit: onNamed },
};

/** Commands that make rows go on. */
export const SENDING: ReadonlySet<string> = new Set(['retry', 'resolve', 'resume', 'approve', 'sessions']);

/** Options that are left out of the audit: they do not say what is changed. */
const ASIDE = new Set(['json', 'yes', 'dryRun']);

/** The audit of a command that changes what its first argument names, or a queue. */
function onNamed({ args, options }: Given): CommandAudit | undefined {
  if (options.dryRun === true) return undefined;
  const [name, ...more] = args.filter((arg) => arg !== undefined);
  const facts: Record<string, unknown> = more.length > 0 ? { more } : {};
  for (const [option, value] of Object.entries(options)) if (!ASIDE.has(option)) facts[option] = shortOf(option, value);
  return { about: name === undefined ? undefined : String(name), facts };
}

function importAudit(command: string, { args, options }: Given): CommandAudit {
  const { replace = false, first, supplier, documents, sessions } = options;
  return {
    facts: {
      command,
      file: fileOf(args[0]),
      replace,
      first,
      supplier: fileOf(supplier),
      documents: fileOf(documents),
      sessions,
    },
  };
}

function recoverAudit({ args, options }: Given): CommandAudit | undefined {
  if (options.apply !== true) return undefined;
  return { facts: { files: args.flat().map(fileOf) } };
}

/** A file's name without its path, which may reveal too much. */
function fileOf(path: unknown): string | undefined {
  return typeof path === 'string' ? basename(path) : undefined;
}

/** An option's value for the audit. Texts by which rows are searched are hidden, because they may be personal data. */
function shortOf(option: string, value: unknown): unknown {
  if (option === 'from') return fileOf(value);
  if (option === 'error' || option === 'words') return '(a text)';
  if (typeof value !== 'object' || value === null || !('text' in value)) return value;
  return { ...value, text: '(a text)' };
}
