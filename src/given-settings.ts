import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { messageOf } from './errors.ts';
import { readTrusted, runnerOf } from './trust.ts';

/** What is given: values by setting, what cannot be read, and all names that stand there with a value. */
export type GivenSettings = {
  values: Record<string, string>;
  faults: string[];
  names: { environment: string[]; dotenv: string[] };
};

/**
 * Reads what is given in the environment and, below it, in a `.env` file of the working directory. Empty values count
 * as not given; in the environment they hide those of the file.
 *
 * @param names the settings there are, @param inFiles those of them that `<name>_FILE` may name a mounted file of
 */
export function readGiven({
  env,
  cwd,
  names,
  inFiles,
}: {
  env: NodeJS.Dict<string>;
  cwd: string;
  names: readonly string[];
  inFiles: readonly string[];
}): GivenSettings {
  const values: Record<string, string> = {};
  const faults: string[] = [];
  const dotenv = dotenvFile(cwd, env, faults);
  const layered = { ...dotenv, ...env };
  for (const name of names) {
    const value = PROXY_NAMES.has(name) ? layered[name.toLowerCase()] || layered[name] : layered[name];
    if (isGiven(value) && !isLink(name, value)) values[name] = value.trim();
  }
  for (const name of inFiles) {
    // A value and a file are two ways to say one thing: the environment goes before `.env` in whatever way it says it.
    const layer = name in env || `${name}_FILE` in env ? env : dotenv;
    delete values[name];
    try {
      const value = secretOf(name, layer);
      if (value !== undefined) values[name] = value;
    } catch (error) {
      faults.push(messageOf(error));
    }
  }
  return { values, faults, names: { environment: namesIn(env), dotenv: namesIn(dotenv) } };
}

/** Common to many programs, which know them in lower case too, and take that first. */
const PROXY_NAMES: ReadonlySet<string> = new Set(['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']);

/** @throws Error for two values, and for a file that cannot be read or is empty: without it something else would be used. */
function secretOf(name: string, layer: NodeJS.Dict<string>): string | undefined {
  const [value, path] = [layer[name], layer[`${name}_FILE`]];
  if (!isGiven(path)) return isGiven(value) ? value.trim() : undefined;
  if (isGiven(value)) throw new Error(`${name} and ${name}_FILE are both given; remove one of them`);
  const inFile = readSecret(name, path.trim());
  if (inFile === '') throw new Error(`${name}_FILE names ${path.trim()}, which is empty`);
  return inFile;
}

/** What a mounted file says; editors and `echo` end it with a line break. */
function readSecret(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new Error(`${name}_FILE cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}

function namesIn(layer: NodeJS.Dict<string>): string[] {
  return Object.keys(layer).filter((name) => isGiven(layer[name]) && !isLink(name, layer[name] ?? ''));
}

/** What Kubernetes says of a service called `console`: an address in CONSOLE_PORT, which nobody has set. */
function isLink(name: string, value: string): boolean {
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value);
}

/** Nothing where there is none; one that is not to be obeyed is a fault. */
function dotenvFile(cwd: string, env: NodeJS.Dict<string>, faults: string[]): NodeJS.Dict<string> {
  try {
    // Editors on Windows begin a file with a byte order mark, which would become part of the first name.
    const dotenv = parseEnv(readTrusted(resolve(cwd, '.env'), runnerOf(env))?.replace(/^\uFEFF/, '') ?? '');
    if (!isGiven(dotenv.LIMITLINE_TRUST_ENV)) return dotenv;
    faults.push('LIMITLINE_TRUST_ENV stands in .env, which cannot speak for itself: it belongs into the environment');
  } catch (error) {
    faults.push(messageOf(error));
  }
  return {};
}
