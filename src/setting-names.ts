import { lettersApart } from './likeness.ts';

/** Names in the environment or in `.env` that look like our settings and are none. */
type StrayNames = {
  /** Sentences on names that are probably misspelt settings: nothing should start. */
  faults: string[];
  /** Sentences on names without effect, which may belong to other programs. */
  notices: string[];
};

/** Names by origin: `.env` is ours, while the environment is shared with other programs. */
type GivenNames = { environment: readonly string[]; dotenv: readonly string[]; known: readonly string[] };

/**
 * Finds names that no setting has. A misspelt ceiling would be ignored, and that costs money. So a name stops the command if it shares a
 * word with a setting that is not given, or differs from one by two letters. Any other name of our families only causes a notice, since the
 * environment belongs to other programs too. Names that Kubernetes and Docker set for services of these names are ignored.
 */
export function strayNames({ environment, dotenv, known }: GivenNames): StrayNames {
  const given = new Set([...environment, ...dotenv]);
  const found: StrayNames = { faults: [], notices: [] };
  for (const name of given) {
    if (known.includes(name) || SERVICE_LINK.test(name)) continue;
    const isOurs = familyOf(name) !== undefined;
    const mayBeMeant = isOurs || name.startsWith('REDIS_') || dotenv.includes(name);
    if (!mayBeMeant) {
      // Such a name of the environment may be another program's. Comparing all of them with each setting would take too long.
      const meant = settingInCapitals(name, known) ?? known.find((setting) => isMistypedFamily(name, setting));
      if (meant && !isGiven(meant, given)) found.notices.push(withoutEffect(name, meant));
      continue;
    }
    const nearest = nearestTo(name, known);
    if (isNear(name, nearest, isOurs) && !isGiven(nearest, given)) {
      found.faults.push(
        `${shownName(name)} is not a setting of Limitline: did you mean ${nearest}? Rename or remove it`,
      );
    } else if (isOurs) {
      found.notices.push(withoutEffect(name, nearest));
    }
  }
  return found;
}

const withoutEffect = (name: string, nearest: string): string =>
  `${shownName(name)} is not a setting of Limitline and has no effect (the closest one is ${nearest})`;

/** A name for people. Of a line such as `NAME: SECRET==`, Node takes all that stands before the sign as the name; only the first word is shown. */
function shownName(name: string): string {
  const [first = ''] = /^[\w.-]+$|^\W*\w*/.exec(name) ?? [];
  return first === name ? name : `${first}…`;
}

/** The setting of one of our families that a name is but for capitals: `approve_above`. Proxies have such names by custom. */
function settingInCapitals(name: string, known: readonly string[]): string | undefined {
  const capitals = name.toUpperCase();
  return familyOf(capitals) !== undefined && known.includes(capitals) ? capitals : undefined;
}

/** Whether a name differs from a setting by one letter of the family alone: `APROVE_ABOVE`. */
function isMistypedFamily(name: string, setting: string): boolean {
  const family = familyOf(setting) ?? '';
  return family !== '' && name.endsWith(`_${setting.slice(family.length)}`) && lettersApart(name, setting) === 1;
}

/** The prefixes of our settings' names. `REDIS_` is used by others too, so only a near miss counts there. */
const FAMILIES =
  'SERVICE_ LIMITLINE_ ON_UNKNOWN_ CANARY_ APPROVE_ INBOX_ REQUIRED_ MAX_DOCUMENT_ CONSOLE_ METRICS_ NOTIFY_ EVENTS_'.split(
    ' ',
  );

/** Settings that many programs share; a similar name most likely belongs to another program. */
const PROXIES = /^(HTTPS?|NO)_PROXY$/i;

/** Names that Kubernetes sets for a service called like one of our families, and Docker for a link to it. */
const SERVICE_LINK = /_(HOST|SERVICE_PORT(_\w+)?|PORT|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?|NAME|ENV_\w+)$/;

/** Two names that differ by so few letters count as a typing error. */
const TYPING_LETTERS = 2;

/** Letters of a word by which names count as alike: shorter ones (`ID`, `PER`, `MS`) occur in many unrelated names. */
const TELLING_LETTERS = 4;

function isGiven(setting: string, given: ReadonlySet<string>): boolean {
  const value = setting.replace(/_FILE$/, '');
  return given.has(value) || given.has(`${value}_FILE`);
}

function isNear(name: string, setting: string, isOurs: boolean): boolean {
  if (lettersApart(name.toUpperCase(), setting) <= TYPING_LETTERS) return true;
  return isOurs && tellingWords(name).some((word) => tellingWords(setting).includes(word));
}

/** The words of a name behind its family's prefix. */
function tellingWords(name: string): string[] {
  return name
    .slice(familyOf(name)?.length ?? 0)
    .split('_')
    .filter((word) => word.length >= TELLING_LETTERS);
}

/**
 * The known setting of which `name` is a typing error. If there is none, the one with the most words in common; of several such settings, it
 * is the most similar by letters.
 */
function nearestTo(name: string, known: readonly string[]): string {
  const words = tellingWords(name);
  const rank = (setting: string) => {
    const letters = lettersApart(name.toUpperCase(), setting);
    if (letters <= TYPING_LETTERS) return letters - TYPING_ERROR;
    const common = tellingWords(setting).filter((word) => familyOf(setting) === familyOf(name) && words.includes(word));
    return letters - common.length * COMMON_WORD_LETTERS;
  };
  const settings = known.filter((setting) => !PROXIES.test(setting));
  return settings.reduce((best, setting) => (rank(setting) < rank(best) ? setting : best), settings[0] ?? '');
}

/** A common word outweighs all letters by which two names can differ. */
const COMMON_WORD_LETTERS = 100;
/** A typing error outweighs all words that two names can have in common. */
const TYPING_ERROR = 10_000;

const familyOf = (name: string): string | undefined => FAMILIES.find((family) => `${name}_`.startsWith(family));
