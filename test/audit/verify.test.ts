import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CHECKPOINT, entryText, exportLine, type KeptEntry, makeChain, readExportLine } from '../../src/audit/entry.ts';
import { makeVerifier, type Remembered, type TrailCheck } from '../../src/audit/verify.ts';

const chain = makeChain(Buffer.alloc(32, 1));

type Made = KeptEntry & { number: number };

/** An unbroken trail of this many entries. The one at `checkpointAt` is a checkpoint for the entries up to `upTo`. */
function makeTrail(count: number, { checkpointAt = 0, upTo = 0 } = {}): Made[] {
  const made: Made[] = [];
  let prev = chain.genesis;
  for (let number = 1; number <= count; number += 1) {
    const isCheckpoint = number === checkpointAt;
    const facts = isCheckpoint ? { upTo, link: made[upTo - 1]?.link ?? '', count: upTo } : { rows: number };
    const draft = { by: 'alice', what: isCheckpoint ? CHECKPOINT : 'rows retried', from: '127.0.0.1', facts };
    const text = entryText(draft, { number, atMs: 1_000 * number, account: 'stand-in', prev });
    prev = chain.link(text);
    made.push({ number, text, link: prev });
  }
  return made;
}

/** Verifies entries of Redis, whose ids give their numbers, or of a file, where only the text does. */
function checkOn(
  entries: readonly (KeptEntry & { place?: number | undefined })[],
  remembered: readonly Remembered[] = [],
): TrailCheck {
  const verifier = makeVerifier({ chain, remembered });
  for (const entry of entries) verifier.add(entry);
  return verifier.end();
}

const inRedis = (entries: readonly Made[]) => entries.map((entry) => ({ ...entry, place: entry.number }));
const inFile = (entries: readonly Made[]) => entries.map(({ text, link }) => ({ text, link }));
const remembering = (entries: readonly Made[]): Remembered[] =>
  entries.slice(-1).map(({ number, link }) => ({ number, link, by: 'this host', mustReach: true }));

const size = fc.integer({ min: 2, max: 30 });
/** The size of a trail, and two places in it. */
const places = size.chain((count) =>
  fc.tuple(fc.constant(count), fc.integer({ min: 0, max: count - 1 }), fc.integer({ min: 0, max: count - 1 })),
);

test('an unbroken trail is verified in Redis and as an export, also without remembered links', () => {
  fc.assert(
    fc.property(size, (count) => {
      const trail = makeTrail(count);
      const known = remembering(trail);
      for (const entries of [inRedis(trail), inFile(trail)]) {
        expect(checkOn(entries, known)).toMatchObject({ entries: count, first: 1, broken: undefined });
        expect(checkOn(entries)).toMatchObject({ last: { number: count }, broken: undefined });
      }
    }),
  );
});

// Promise: change-breaks-a-link
test('a change of one byte of an entry or its link is reported with its number', () => {
  fc.assert(
    fc.property(places, fc.nat(), fc.boolean(), ([count, at], byte, ofLink) => {
      const trail = makeTrail(count);
      const entry = trail[at] as Made;
      const field = ofLink ? 'link' : 'text';
      const place = byte % entry[field].length;
      const other = entry[field][place] === '7' ? '8' : '7';
      trail[at] = { ...entry, [field]: entry[field].slice(0, place) + other + entry[field].slice(place + 1) };
      for (const entries of [inRedis(trail), inFile(trail)]) {
        expect(checkOn(entries).broken).toMatchObject({ number: at + 1, is: 'changed' });
      }
    }),
  );
});

// Promise: change-breaks-a-link
test('missing entries are reported with the first number, at the beginning, in the middle and at the end', () => {
  fc.assert(
    fc.property(places, ([count, one, other]) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      const whole = makeTrail(count);
      const trail = whole.filter((_entry, place) => place < from || place > to);
      for (const entries of [inRedis(trail), inFile(trail)]) {
        const { broken } = checkOn(entries, remembering(whole));
        expect(broken).toMatchObject({ number: from + 1 });
        expect(broken?.is).toBe(to === count - 1 ? 'end' : from === 0 ? 'start' : 'missing');
        // The whole gap is named at once, so that the next check can begin behind it.
        expect(broken?.upTo).toBe(broken?.is === 'missing' ? to + 1 : undefined);
      }
    }),
  );
});

// Promise: change-breaks-a-link
test('two exchanged entries are reported with the lower number', () => {
  fc.assert(
    fc.property(places, ([count, one, other]) => {
      fc.pre(one !== other);
      const whole = makeTrail(count);
      const trail = [...whole];
      [trail[one], trail[other]] = [whole[other] as Made, whole[one] as Made];
      const number = Math.min(one, other) + 1;
      // In Redis the contents are exchanged, and the ids stay.
      const exchanged = trail.map((entry, place) => ({ ...entry, place: place + 1 }));
      for (const entries of [exchanged, inFile(trail)]) {
        expect(checkOn(entries, remembering(whole)).broken).toMatchObject({ number });
      }
    }),
  );
});

// Promise: change-breaks-a-link
test('an inserted entry is reported: a copy, one of another trail, or an invented one', () => {
  const others = makeTrail(40).map(({ number }) => makeOther(number));
  fc.assert(
    fc.property(places, fc.constantFrom('copy', 'other', 'made up'), ([count, at, of], kind) => {
      const whole = makeTrail(count);
      const put = { copy: whole[of], other: others[of], 'made up': { ...(whole[of] as Made), link: 'A'.repeat(43) } }[
        kind
      ] as Made;
      const trail = [...whole.slice(0, at), put, ...whole.slice(at)];
      const found = checkOn(inFile(trail), remembering(whole)).broken;
      // A copy beside its original has the place of the next entry.
      const isBehind = kind === 'copy' && of === at;
      expect(found).toMatchObject({ number: at + 1 + (isBehind ? 1 : 0) });
    }),
  );
});

/** An entry with this number of another trail that was made with the same key. */
function makeOther(number: number): Made {
  const text = entryText({ by: 'eve', what: 'x', from: 'y' }, { number, atMs: 0, account: 'a', prev: chain.link('z') });
  return { number, text, link: chain.link(text) };
}

test('a cut trail may begin right after its checkpoint’s range, and nowhere else', () => {
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 30 }), fc.nat(), fc.nat(), (count, cut, begins) => {
      const upTo = 1 + (cut % (count - 2));
      const whole = makeTrail(count, { checkpointAt: count - 1, upTo });
      // The trail before the cut, after the right cut, or after a wrong one.
      const left = begins % (count - 1);
      const { broken } = checkOn(inRedis(whole.slice(left)), remembering(whole));
      if (left === 0 || left === upTo) expect(broken).toBeUndefined();
      else expect(broken).toMatchObject({ is: 'start', number: left > upTo ? upTo + 1 : 1 });
    }),
  );
});

test('an older copy of the trail is recognised by the remembered link', () => {
  const whole = makeTrail(9);
  const [known] = remembering(whole) as [Remembered];
  expect(checkOn(inRedis(whole.slice(0, 5)), [known]).broken).toMatchObject({ number: 6, is: 'end' });
  // A forger with the key wrote further entries, so that the trail has the same length.
  const other = { ...known, link: chain.link('what stood there') };
  expect(checkOn(inRedis(whole), [other]).broken).toMatchObject({ number: 9, is: 'history' });
  expect(checkOn([], [known]).broken).toMatchObject({ number: 1, is: 'end' });
  // An older export is still valid.
  expect(checkOn(inFile(whole.slice(0, 5)), [{ ...known, mustReach: false }]).broken).toBeUndefined();
});

test('another key is reported as such, and not as a change', () => {
  const other = makeChain(Buffer.alloc(32, 2));
  const verifier = makeVerifier({ chain: other });
  for (const entry of inRedis(makeTrail(3))) verifier.add(entry);
  expect(verifier.end().broken).toMatchObject({ number: 1, is: 'key' });
});

test('a check from a given number ignores earlier entries', () => {
  const trail = makeTrail(6);
  trail.splice(2, 1);
  const verifier = makeVerifier({ chain, from: 4, remembered: remembering(trail) });
  for (const entry of inRedis(trail.slice(2))) verifier.add(entry);
  expect(verifier.end()).toMatchObject({ first: 4, broken: undefined });
  const missing = makeVerifier({ chain, from: 3 });
  for (const entry of inRedis(trail.slice(2))) missing.add(entry);
  expect(missing.end().broken).toMatchObject({ number: 3, is: 'missing' });
});

test('a line of an export reproduces the entry byte for byte', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (by, about) => {
      const place = { number: 1, atMs: 1, account: 'a', prev: chain.genesis };
      const text = entryText({ by, what: 'x', from: 'y","link":"', about, facts: { link: 'z' } }, place);
      const entry = { text, link: chain.link(text) };
      const line = exportLine(entry);
      expect(line).not.toContain('\n');
      expect(readExportLine(line)).toEqual(entry);
    }),
    { numRuns: 30 },
  );
});
