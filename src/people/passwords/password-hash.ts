import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/**
 * Argon2id with the first parameters of OWASP's Password Storage Cheat Sheet: 46 MiB, one pass, one lane (RFC 9106). Takes some 80 ms of one
 * core; an attacker needs the same memory for each guess.
 */
const COST = { memory: 47_104, passes: 1, parallelism: 1 } as const;

/** RFC 9106, section 3.1: 16 bytes are enough for the salt; section 4: a tag of 256 bits. */
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** The highest cost accepted from Redis: a foreign digest must not fill the memory. */
const MAX_COST = { memory: 262_144, passes: 10, parallelism: 8 } as const;

const derive = promisify((parameters: Argon2Parameters, done: (error: Error | null, tag: Buffer) => void) =>
  argon2('argon2id', parameters, done),
);

/** The digest of a password, with salt and cost, in the PHC string format. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return phcText(salt, await derive({ ...COST, message: password, nonce: salt, tagLength: TAG_BYTES }));
}

/** Whether this is the password. Without a valid digest the no takes as long, so that the time does not reveal whether the user exists. */
export async function verifyPassword(password: string, phc: string | undefined): Promise<boolean> {
  const kept = readPhc(phc ?? '');
  const { tag, salt, cost } = kept ?? NOBODY;
  const found = await derive({ ...cost, message: password, nonce: salt, tagLength: tag.length });
  return timingSafeEqual(found, tag) && kept !== undefined;
}

type Phc = { cost: { memory: number; passes: number; parallelism: number }; salt: Buffer; tag: Buffer };

/** The digest with which a password is compared if there is no such user. */
const NOBODY: Phc = { cost: COST, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) };

function phcText(salt: Buffer, tag: Buffer): string {
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

function readPhc(text: string): Phc | undefined {
  const [, m, t, p, salt = '', tag = ''] = PHC.exec(text) ?? [];
  const cost = { memory: Number(m), passes: Number(t), parallelism: Number(p) };
  const isSane =
    cost.memory >= 8 * cost.parallelism &&
    cost.memory <= MAX_COST.memory &&
    cost.passes >= 1 &&
    cost.passes <= MAX_COST.passes &&
    cost.parallelism >= 1 &&
    cost.parallelism <= MAX_COST.parallelism;
  return isSane ? { cost, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') } : undefined;
}

/** Base64 without `=`, as the PHC string format has it. */
const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
