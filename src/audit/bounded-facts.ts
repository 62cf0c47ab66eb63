type Facts = Readonly<Record<string, unknown>>;

/** Most bytes of an entry's facts, as JSON; a plan with its counts takes a tenth. */
const MOST_BYTES = 8_000;

/** Characters kept of each text if the facts are too long. */
const CUT_TEXT = 200;

/** Values under such names are left out, whoever added them. */
const SECRET_NAMES = /password|secret|token|recovery|otp|cookie|authorization/i;

/** The facts as JSON, without possible secrets; if too long, texts are cut, and `cut` is set. */
export function boundedFacts(facts: Facts): Facts {
  const whole = JSON.stringify(facts, withoutSecrets) ?? '{}';
  if (isShort(whole)) return JSON.parse(whole);
  const cut = JSON.stringify(JSON.parse(whole), (_name, value) =>
    typeof value === 'string' ? cutText(value, CUT_TEXT) : value,
  );
  if (isShort(cut)) return { ...JSON.parse(cut), cut: true };
  // Half the bytes at first, since JSON escapes quotation marks once more.
  let text = cutText(cut, MOST_BYTES / 2);
  while (!isShort(JSON.stringify(text))) text = cutText(text, Math.floor(text.length * 0.7));
  return { text, cut: true };
}

/** A text of at most so many characters, with `…` at its end if it was cut. */
export function cutText(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…`.toWellFormed() : text;
}

function withoutSecrets(name: string, value: unknown): unknown {
  if (SECRET_NAMES.test(name) && value !== null && typeof value !== 'boolean') return '(left out)';
  if (typeof value === 'bigint') return String(value);
  return value;
}

function isShort(json: string): boolean {
  return Buffer.byteLength(json) <= MOST_BYTES - ',"cut":true'.length;
}
