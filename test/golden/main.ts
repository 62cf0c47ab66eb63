import crypto, { type Argon2Parameters } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { forgiveHalfReadStreams, loadWithDoubles } from '../simulation/run/module-hooks.ts';
import { type Process, processHere } from '../simulation/run/process.ts';
import { makeRandom } from '../simulation/run/random.ts';
import { takeOverGlobals } from '../simulation/run/virtual-globals.ts';
import { marked } from '../texts/untranslated.ts';

process.env.TZ = 'UTC';
takeOverGlobals();
takeOverThreads();
takeOverChance();
loadWithDoubles();
forgiveHalfReadStreams();
const wish = process.argv[2] === '--write' ? 'write' : process.argv[2] === '--state' ? 'state' : 'all';
const isOfTexts = process.argv[2] === '--texts';
if (isOfTexts) await markTexts();
const { goldens, untranslatedTexts } = await import('./goldens.ts');
process.exitCode = await (isOfTexts ? untranslatedTexts() : goldens(wish));

/** Makes pages use a language that puts marks around each message of the catalogue, and English for other texts. */
async function markTexts(): Promise<void> {
  const { speak } = await import('../../src/console/html/html.ts');
  const { messagesOfSources } = await import('../texts/messages.ts');
  const messages = messagesOfSources();
  speak((message) => (Object.hasOwn(messages, message) ? marked(message) : message));
}

/**
 * The scheduler does not see work in the thread pool of Node, and virtual time would pass meanwhile. So archives and
 * password digests are made synchronously. Archives are not compressed, since compressed bytes differ between machines;
 * digests are made cheaply.
 */
function takeOverThreads(): void {
  const inOnePiece = (change: (whole: Buffer) => Buffer) => () => {
    const pieces: Buffer[] = [];
    return new Transform({
      transform: (piece: Buffer, _encoding, done) => done(void pieces.push(piece)),
      flush: (done) => done(null, change(Buffer.concat(pieces))),
    });
  };
  Object.defineProperties(zlib, {
    createGzip: { value: inOnePiece((whole) => zlib.gzipSync(whole, { level: 0 })) },
    createGunzip: { value: inOnePiece((whole) => zlib.gunzipSync(whole)) },
  });
  Object.assign(crypto, {
    argon2: (kind: 'argon2id', given: Argon2Parameters, done: (error: null, tag: Buffer) => void) =>
      done(null, crypto.argon2Sync(kind, { ...given, memory: 8, passes: 1, parallelism: 1 })),
  });
  syncBuiltinESMExports();
}

/**
 * Random bytes depend on the name of the process, on their length, and on how often it drew this length before.
 * So a change of the product that draws once more or less keeps most ids the same.
 */
function takeOverChance(): void {
  const { randomBytes } = crypto;
  const drawn = new WeakMap<Process, Map<number, number>>();
  const draw = (size: number): Buffer => {
    const process = processHere();
    if (!process) return randomBytes(size);
    const counts = drawn.get(process) ?? new Map<number, number>();
    drawn.set(process, counts.set(size, (counts.get(size) ?? 0) + 1));
    return makeRandom(`${process.name} ${size} ${counts.get(size)}`).bytes(size);
  };
  Object.assign(crypto, {
    randomBytes: draw,
    randomInt: (below: number) => draw(4).readUInt32LE() % below,
    randomUUID: () =>
      draw(16)
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  });
  // Secrets of second factors are drawn with this function.
  globalThis.crypto.getRandomValues = (into) => {
    if (into instanceof Uint8Array) into.set(draw(into.length));
    return into;
  };
  syncBuiltinESMExports();
}
