import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { messageOf } from './errors.ts';
import { readTrusted, runnerOf } from './trust.ts';

/** Given settings: values by name, faults in reading them, and all names with a value. */
export type GivenSettings = {
  values: Record<string, string>;
  faults: string[];
  names: { environment: string[]; dotenv: string[] };
};

/**
 * Reads the given settings in the environment and in a `.env` file of the working directory; the environment wins. Empty values count as
 * missing, but in the environment they hide those of the file. A value of white space or commas alone is a fault: somebody meant to give one.
 *
 * @param names all settings, @param inFiles those whose value may be in a file that `<name>_FILE` names
 */
export function readGiven(given: {
  env: NodeJS.Dict<string>;
  cwd: string;
  names: readonly string[];
  inFiles: readonly string[];
}): GivenSettings {
  const { env, cwd, names, inFiles } = given;
  const values: Record<string, string> = {};
  const faults: string[] = [];
  const known = [
    ...names,
    ...[...PROXY_NAMES].map((name) => name.toLowerCase()),
    ...inFiles.map((name) => `${name}_FILE`),
  ];
  const dotenv = dotenvFile({ cwd, env, known }, faults);
  const layered = { ...dotenv, ...env };
  for (const name of names) {
    const value = PROXY_NAMES.has(name) ? layered[name.toLowerCase()] || layered[name] : layered[name];
    const isEmptyList = isGiven(value) && /^[\s,]+$/.test(value);
    if (isGiven(value) && !isEmptyList && !isLink(name, value)) values[name] = value.trim();
    // A proxy's settings belong to other programs, too, so blanks in them are no fault.
    else if (value && (isEmptyList || !isGiven(value)) && !PROXY_NAMES.has(name))
      faults.push(`${name} has only ${isEmptyList ? 'commas' : 'spaces'}: give it a value, or remove it`);
  }
  for (const name of inFiles) {
    // The environment wins over `.env`, whether it has the value or `<name>_FILE`.
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

/** Settings shared with other programs, which also know them in lower case, and prefer that. */
const PROXY_NAMES: ReadonlySet<string> = new Set(['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']);

/** @throws Error if both forms are given, or the file is unreadable or empty: otherwise a default would be used silently */
function secretOf(name: string, layer: NodeJS.Dict<string>): string | undefined {
  const [value, path] = [layer[name], layer[`${name}_FILE`]];
  if (!isGiven(path)) return isGiven(value) ? value.trim() : undefined;
  if (isGiven(value)) throw new Error(`${name} and ${name}_FILE are both given; remove one of them`);
  const inFile = readSecret(name, path.trim());
  if (inFile === '') throw new Error(`${name}_FILE names ${path.trim()}, which is empty`);
  return inFile;
}

/** The contents of a mounted file, without the line break at the end. */
function readSecret(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    // Somebody may have written the secret itself there, unless there is such a file.
    const isPath = isAbsolute(path) || path.startsWith('.') || existsSync(path);
    const why = isPath ? messageOf(error) : 'it must be the path of a file that is there';
    throw new Error(`${name}_FILE cannot be read: ${why}`, { cause: error });
  }
}

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}

function namesIn(layer: NodeJS.Dict<string>): string[] {
  return Object.keys(layer).filter((name) => isGiven(layer[name]) && !isLink(name, layer[name] ?? ''));
}

/** Kubernetes sets CONSOLE_PORT to a URL for a service named `console`; that is no setting. */
const isLink = (name: string, value: string): boolean => name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value);

/** The `.env` file; empty without one. A file that is not trusted is a fault, and so is a setting in it that nothing reads. */
function dotenvFile(
  { cwd, env, known }: { cwd: string; env: NodeJS.Dict<string>; known: readonly string[] },
  faults: string[],
): NodeJS.Dict<string> {
  try {
    // Editors on Windows put a byte order mark in front, which would become part of the first name.
    const text = readTrusted(resolve(cwd, '.env'), runnerOf(env))?.replace(/^\uFEFF/, '') ?? '';
    const dotenv = parseEnv(text);
    const { LIMITLINE_TRUST_ENV: trust, ...others } = dotenv;
    if (isGiven(trust)) {
      faults.push('LIMITLINE_TRUST_ENV stands in .env, which cannot speak for itself: it belongs into the environment');
    }
    if (text.includes('\0')) faults.push('.env is written in UTF-16, so nothing in it is read: save it as UTF-8');
    faults.push(...unreadIn(text, dotenv, known), ...givenTwiceIn(text, known));
    return others;
  } catch (error) {
    faults.push(messageOf(error));
    return {};
  }
}

/**
 * A sentence for each line of `.env` of which Node does not read all that it says:
 *
 * - a line that gives a setting no value: `NAME: VALUE`, or one within the quotes of another line;
 * - one with something before the name, `set NAME=VALUE`;
 * - one with another setting behind the value, `NAME=VALUE OTHER=VALUE`;
 * - one whose value is cut: Node reads `a#b` as `a`, and nothing behind a closing quote.
 */
function unreadIn(text: string, read: NodeJS.Dict<string>, known: readonly string[]): string[] {
  return text.split(/\r\n?|\n/).flatMap((line, place) => {
    const [, name = '', value = ''] = /^\s*(?:export\s+)?(\w+)(?:\s*=\s*(.*))?/.exec(line) ?? [];
    const [, last = ''] = /^[^#=]*(?<![\w.-])(\w+)\s*=/.exec(line) ?? [];
    if (last !== name && known.includes(last)) {
      return [
        `.env has more before ${last} in line ${place + 1}, so it is not read: write ${last}=… in a line of its own`,
      ];
    }
    if (!known.includes(name)) return [];
    const behind = BEHIND.exec(value)?.[0].matchAll(/\s(\w+)=/g) ?? [];
    const [, other] = [...behind].find(([, one = '']) => known.includes(one)) ?? [];
    if (other !== undefined) {
      return [
        `.env has ${other} behind the value of ${name} in line ${place + 1}: write ${other}=… in a line of its own`,
      ];
    }
    if (CUT.test(value)) {
      return [`.env has more behind the value of ${name} in line ${place + 1} than is read: put all of it in quotes`];
    }
    if (Object.hasOwn(read, name)) return [];
    const remedy = `write ${name}=… in a line of its own, and close each quote before it`;
    return [`.env names ${name} in line ${place + 1}, but gives it no value: ${remedy}`];
  });
}

/** A sentence for each setting to which several lines give different values: Node takes the last one without a word. */
function givenTwiceIn(text: string, known: readonly string[]): string[] {
  const seen = new Map<string, { line: number; value: string | undefined }>();
  return text.split(/\r\n?|\n/).flatMap((content, place) => {
    const [, name = ''] = /^\s*(?:export\s+)?(\w+)\s*=/.exec(content) ?? [];
    if (!known.includes(name)) return [];
    const [line, value] = [place + 1, parseEnv(content)[name]];
    const before = seen.get(name);
    seen.set(name, { line, value });
    if (!before || before.value === value) return [];
    return [`.env gives ${name} different values in lines ${before.line} and ${line}: remove one of the lines`];
  });
}

/** A value without quotes, up to a comment. */
const BEHIND = /^[^"'`#][^#]*/;

/** A value of which Node reads a part: with `#` right behind a character, or with more than a comment behind its closing quote. */
const CUT = /^(?:[^"'`#\s][^#]*(?<=\S)#|(["'`])(?:(?!\1).)*\1\s*[^\s#])/;
