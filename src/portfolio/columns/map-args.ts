import { existsSync } from 'node:fs';
import { LimitlineError } from '../../errors.ts';
import { aliasOf } from './aliases.ts';
import { KNOWN_COLUMNS, type KnownColumn, ownNameOf } from './known-columns.ts';
import { type Mapping, readMapping } from './mapping.ts';

/**
 * The mapping from all `--map` arguments: mapping files, and `HEADER=column` for single headers, split at the last `=`.
 * `HEADER=` and `HEADER=-` say that it is no known column. Single headers override files; later files override earlier
 * ones. Undefined without arguments.
 *
 * @throws LimitlineError `USAGE` for an unknown column or a contradiction; `FILE` for a file that cannot be used.
 */
export async function readMapArgs(args: readonly string[]): Promise<Mapping | undefined> {
  if (args.length === 0) return undefined;
  const mapping: Mapping = { columns: byHeader(), constants: {} };
  const pairs = byHeader();
  for (const arg of args) {
    const pair = pairOf(arg);
    if (pair === null) {
      const { columns, constants } = await readMapping(arg);
      Object.assign(mapping.columns, columns);
      Object.assign(mapping.constants, constants);
    } else {
      const [header, known] = pair;
      if (Object.hasOwn(pairs, header) && pairs[header] !== known) throw saidTwice(header);
      pairs[header] = known;
    }
  }
  Object.assign(mapping.columns, pairs);
  return mapping;
}

/** Parses `HEADER=column`; null for a file name, even if the existing file's name has a `=`. */
function pairOf(arg: string): [header: string, known: KnownColumn | null] | null {
  const at = arg.lastIndexOf('=');
  if (at === -1 || existsSync(arg)) return null;
  const [header, name] = [arg.slice(0, at).trim(), arg.slice(at + 1).trim()];
  if (header === '') {
    throw new LimitlineError('USAGE', `--map "${arg}" has no header before "=": write --map "Their header=name".`);
  }
  if (name === '' || name === '-') return [header, null];
  const known = ownNameOf(name) ?? aliasOf(name);
  if (known) return [header, known];
  const message = `--map "${arg}" names an unknown column. Name one of ${KNOWN_COLUMNS.join(', ')}; or write --map "${header}=" if the header means none of them.`;
  throw new LimitlineError('USAGE', message);
}

function saidTwice(header: string): LimitlineError {
  return new LimitlineError('USAGE', `--map says two things about "${header}": keep one of them.`);
}

/** Without a prototype, because a header may be called `__proto__`. */
function byHeader(): Record<string, KnownColumn | null> {
  return Object.create(null);
}
