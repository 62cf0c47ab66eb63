import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { messageOf } from './errors.ts';
import { readTrusted, runnerOf } from './trust.ts';

/** The settings that were given: their values, the faults found, and every name that has a value. */
export type GivenSettings = {
  values: Record<string, string>;
  faults: string[];
  names: { environment: string[]; dotenv: string[] };
};

/**
 * Reads the settings from the environment, and from `.env` in the working directory for those that the environment lacks. An empty value
 * counts as not given; an empty value in the environment hides the one in `.env`.
 * @param names all settings, @param inFiles those that can also be given as `<name>_FILE`, the path of a mounted file
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
    // If the environment gives NAME or NAME_FILE, both of them in `.env` are ignored.
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

/** Many programs use these, in lower case too; the lower case goes first. */
const PROXY_NAMES: ReadonlySet<string> = new Set(['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']);

/** @throws Error if both are given, or if the file cannot be read or is empty; otherwise another value would be used silently. */
function secretOf(name: string, layer: NodeJS.Dict<string>): string | undefined {
  const [value, path] = [layer[name], layer[`${name}_FILE`]];
  if (!isGiven(path)) return isGiven(value) ? value.trim() : undefined;
  if (isGiven(value)) throw new Error(`${name} and ${name}_FILE are both given; remove one of them`);
  const inFile = readSecret(name, path.trim());
  if (inFile === '') throw new Error(`${name}_FILE names ${path.trim()}, which is empty`);
  return inFile;
}

/** The content of a mounted file, without the line break that editors and `echo` put at its end. */
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

/** Kubernetes sets CONSOLE_PORT to an address (`tcp://…`) for any service called `console`. That is not a setting of ours. */
function isLink(name: string, value: string): boolean {
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value);
}

/** The values in `.env`; empty if there is no such file. A `.env` that must not be trusted is a fault. */
function dotenvFile(cwd: string, env: NodeJS.Dict<string>, faults: string[]): NodeJS.Dict<string> {
  try {
    // Editors on Windows put a byte order mark first, which would become part of the first name.
    const dotenv = parseEnv(readTrusted(resolve(cwd, '.env'), runnerOf(env))?.replace(/^\uFEFF/, '') ?? '');
    if (!isGiven(dotenv.LIMITLINE_TRUST_ENV)) return dotenv;
    faults.push('LIMITLINE_TRUST_ENV stands in .env, which cannot speak for itself: it belongs into the environment');
  } catch (error) {
    faults.push(messageOf(error));
  }
  return {};
}
