import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../data-folder.ts';
import { LimitlineError } from '../errors.ts';
import { fileFault, systemCode, writeDraft } from '../files/disk.ts';
import type { SharedKeys } from '../ledger/schema/keys.ts';
import type { RedisConnection } from '../lua-script.ts';
import { writeAnyway } from '../redis-memory/memory.ts';

export type Secret = ReturnType<typeof makeSecret>;

/** Purposes of keys. Each has its own key, so that one that leaks tells nothing about another. */
export type KeyLabel = 'sessions' | 'factors' | 'recovery-codes' | 'guesses' | 'audit' | 'csrf' | 'sign-in' | 'mark';

/** Name of the file in the data folder that holds the secret if no setting does. */
const FILE_NAME = 'secret';

/** The secret has 256 bits, as have the keys derived from it. */
const SECRET_BYTES = 32;
const KEY_BYTES = 32;

/**
 * Bytes of the mark, a derived value that Redis keeps to show whether two hosts have the same secret. 96 bits are more than anybody can
 * try.
 */
const MARK_BYTES = 12;

/**
 * The secret of the installation, the same on all its hosts: `LIMITLINE_SECRET`, or the file `secret` in the data folder, which is made when
 * first needed. Redis only has a mark, derived from it.
 *
 * @param where name of the Redis, for people
 */
export function makeSecret(asked: {
  given: string | undefined;
  dataDir: string;
  connection: RedisConnection;
  keys: SharedKeys;
  prefix: string;
  where: string;
}) {
  const { given, dataDir, connection, keys, prefix, where } = asked;
  const path = join(dataDir, FILE_NAME);
  let known: Promise<Buffer> | undefined;

  const open = async (): Promise<Buffer> => {
    const material = Buffer.from(given ?? (await readOrMake(path)));
    const mark = derive(material, prefix, 'mark').subarray(0, MARK_BYTES).toString('base64url');
    await writeAnyway(connection, 'SETNX', keys.secretMark, mark);
    const found = (await connection.get(keys.secretMark)) ?? '';
    if (isSame(found, mark)) return material;
    const own = given === undefined ? `this host uses the one in ${path}` : 'this host has LIMITLINE_SECRET';
    const message = `The secret of this host is not the one that ${where} was first used with (${own}). Set LIMITLINE_SECRET_FILE to the same file on all hosts, such as "secret" in the data folder of the first host.`;
    throw new LimitlineError('SETTINGS', message);
  };

  return {
    /**
     * A key of 32 bytes for one purpose (HKDF, RFC 5869, with SHA-256).
     *
     * @throws LimitlineError `SETTINGS` if Redis was used with another secret, `FILE` if the file cannot be read or made
     */
    async key(label: KeyLabel): Promise<Buffer> {
      known ??= open();
      try {
        return derive(await known, prefix, label);
      } catch (error) {
        // The next call tries again, since the fault may be fixed by then.
        known = undefined;
        throw error;
      }
    },
  };
}

function derive(material: Buffer, prefix: string, label: KeyLabel): Buffer {
  return Buffer.from(hkdfSync('sha256', material, '', `limitline/${prefix}/${label}`, KEY_BYTES));
}

/** Compares digests of equal length, so that the time does not tell where the texts differ. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'mark').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/**
 * The files that this process is making now, by path, so that all callers wait for the same one. If several processes make a file, that of
 * the first counts.
 */
const MAKING = new Map<string, Promise<string>>();

function readOrMake(path: string): Promise<string> {
  const making = MAKING.get(path) ?? read(path).then((text) => text ?? make(path));
  MAKING.set(path, making);
  return making.finally(() => MAKING.delete(path));
}

/** The contents of the file; undefined without one. */
async function read(path: string): Promise<string | undefined> {
  try {
    const [text, { mode }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    // Closes the file to other users of this machine, who could forge sessions; fails where a file system has no permissions.
    if ((mode & 0o007) !== 0) await chmod(path, mode & 0o770).catch(() => {});
    if (/^[!-~]{32,}$/.test(text.trim())) return text.trim();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileFault(path, 'read', error);
  }
  const message = `${path} holds no secret (32 characters or more, without spaces): put the file back from a backup, or remove it. Without it a new secret is made, and everybody is signed out.`;
  throw new LimitlineError('FILE', message);
}

async function make(path: string): Promise<string> {
  const dataDir = join(path, '..');
  const text = randomBytes(SECRET_BYTES).toString('base64url');
  try {
    makeFolder(dataDir);
  } catch (error) {
    throw fileFault(dataDir, 'written', error);
  }
  const draft = await writeDraft({
    dir: dataDir,
    name: FILE_NAME,
    mode: 0o600,
    write: async (to) => {
      await new Promise<void>((resolve, reject) => {
        to.once('error', reject).end(`${text}\n`, resolve);
      });
    },
  });
  if (await draft.putInPlace(path, false)) return text;
  await draft.drop();
  // The file that another process made, if it was faster.
  return (await read(path)) ?? text;
}
