import crypto, { type Argon2Parameters } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { forgiveHalfReadStreams } from '../simulation/run/half-read-streams.ts';
import { loadWithDoubles } from '../simulation/run/module-hooks.ts';
import { type Process, processHere } from '../simulation/run/process.ts';
import { makeRandom } from '../simulation/run/random.ts';
import { takeOverGlobals } from '../simulation/run/virtual-globals.ts';

process.env.TZ = 'UTC';
takeOverGlobals();
takeOverThreads();
takeOverChance();
loadWithDoubles();
forgiveHalfReadStreams();
const { goldens } = await import('./goldens.ts');
process.exitCode = await goldens({ isWriting: process.argv.includes('--write') });

/**
 * The scheduler does not see what Node computes in threads of its own, and would let time go on meanwhile. Passwords of nobody need cost
 * no time, and what is packed without being pressed is the same on every machine.
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

/** What a process draws is the same however often it drew bytes of another length before: a draw more or less changes no other id. */
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
    randomUUID: () =>
      draw(16)
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  });
  // Secrets of second factors are drawn by this.
  globalThis.crypto.getRandomValues = (into) => {
    if (into instanceof Uint8Array) into.set(draw(into.length));
    return into;
  };
  syncBuiltinESMExports();
}
