/** Tests whether bytes above ASCII come in groups as in Western European words, whatever their letters. */
type WesternRuns = {
  add(bytes: Buffer): void;
  /** Whether nearly all of them do. Otherwise the file is not certainly Windows-1252. */
  isWestern(): boolean;
};

export function makeWesternRuns(): WesternRuns {
  let [counted, western] = [0, 0];
  return {
    add(bytes) {
      if (counted >= ENOUGH) return;
      const text = bytes.toString('latin1');
      for (const { 0: run, index } of text.matchAll(HIGH_RUN)) {
        counted += run.length;
        const isWord = WHOLE_WORD.test(run) && !isLetter(text[index - 1]) && !isLetter(text[index + run.length]);
        if (WESTERN_RUN.test(run) && !isWord) western += run.length;
      }
    },
    isWestern: () => western >= counted * CERTAIN,
  };
}

/** The letters of some 20,000 lines. More would cost time and change nothing. */
const ENOUGH = 100_000;

/** A trade mark or a stray sign here and there does not make a file Japanese. */
const CERTAIN = 0.9;

const HIGH_RUN = /[\x80-\xff]+/g;

/**
 * Up to two letters, possibly with signs beside them, as Western languages have: `ü`, `öß`, `’é`, ` €`. Japanese,
 * Chinese, Russian and Greek have longer runs.
 */
const WESTERN_RUN =
  /^[\x80\x84\x85\x91-\x97\xa0\xa3\xa7\xab\xae\xb0\xb4\xb7\xbb]{0,2}[\x8a\x8c\x8e\x9a\x9c\x9e\x9f\xaa\xba\xc0-\xcf\xd1-\xd6\xd8-\xdd\xdf-\xef\xf1-\xf6\xf8-\xfd\xff]{0,2}[\x80\x84\x85\x91-\x97\xa0\xa3\xa7\xab\xae\xb0\xb4\xb7\xbb]{0,2}$/;

/** Two or more such letters alone are no Western word, but legal forms elsewhere: `ИП`, `ΟΕ`. */
const WHOLE_WORD = /^[\xc0-\xff]{2,}$/;

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[A-Za-z]/.test(character);
}
