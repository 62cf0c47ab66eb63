import { lettersApart } from './likeness.ts';

/** What stands in the environment or in `.env` under a name that looks like a setting of ours and is none. */
type StrayNames = {
  /** One sentence each, for a setting that is probably meant and is missing so: nothing should start. */
  faults: string[];
  /** One sentence each, for what has no effect and may not be ours at all. */
  notices: string[];
};

/** Where the names stand: what is in `.env` is for us, while the environment is everybody's. */
type GivenNames = { environment: readonly string[]; dotenv: readonly string[]; known: readonly string[] };

/**
 * Names that nobody reads. A misspelt ceiling is none, and that costs money; so a name that has a word in common with a
 * setting that is not given, or is two letters away from it, stops the command. Any other of our families is only said:
 * the environment belongs to other programs too, and what Kubernetes and Docker put there for services of these names is
 * not even that.
 */
export function strayNames({ environment, dotenv, known }: GivenNames): StrayNames {
  const given = new Set([...environment, ...dotenv]);
  const found: StrayNames = { faults: [], notices: [] };
  for (const name of given) {
    if (known.includes(name) || isOfOthers(name)) continue;
    const isOurs = familyOf(name) !== undefined;
    const mayBeMeant = isOurs || name.startsWith('REDIS_') || dotenv.includes(name);
    // Of all the names that an environment has, none is held against a hundred settings that is nobody's mistake.
    if (!mayBeMeant) continue;
    const nearest = nearestTo(name, known);
    if (isNear(name, nearest, isOurs) && !isGiven(nearest, given)) {
      found.faults.push(`${name} is not a setting of Limitline: did you mean ${nearest}? Rename or remove it`);
    } else if (isOurs) {
      found.notices.push(`${name} is not a setting of Limitline and has no effect (the closest one is ${nearest})`);
    }
  }
  return found;
}

/** The beginnings of our settings' names. `REDIS_` is everybody's, so that only a near miss counts there. */
const FAMILIES =
  'SERVICE_ LIMITLINE_ ON_UNKNOWN_ CANARY_ APPROVE_ INBOX_ REQUIRED_ MAX_DOCUMENT_ CONSOLE_ METRICS_ NOTIFY_ EVENTS_'.split(
    ' ',
  );

/** Many programs know these; a name like one of them is most likely one of theirs. */
const PROXIES = /^(HTTPS?|NO)_PROXY$/i;

/** Kubernetes' names for a service that is called like a family of ours, and Docker's for a link to it. */
const SERVICE_LINK = /_(HOST|SERVICE_PORT(_\w+)?|PORT|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?|NAME|ENV_\w+)$/;

function isOfOthers(name: string): boolean {
  return SERVICE_LINK.test(name);
}

/** So few letters apart, two names are one that was mistyped. */
const TYPING_LETTERS = 2;

/** A word of fewer letters (`ID`, `PER`, `MS`) is in many names that mean something else. */
const TELLING_LETTERS = 4;

/** Itself, or in its other form: as a value or as a file. */
function isGiven(setting: string, given: ReadonlySet<string>): boolean {
  const value = setting.replace(/_FILE$/, '');
  return given.has(value) || given.has(`${value}_FILE`);
}

function isNear(name: string, setting: string, isOurs: boolean): boolean {
  if (lettersApart(name.toUpperCase(), setting) <= TYPING_LETTERS) return true;
  return isOurs && tellingWords(name).some((word) => tellingWords(setting).includes(word));
}

/** The words behind the family's: all settings of a family have that one in common. */
function tellingWords(name: string): string[] {
  return name
    .slice(familyOf(name)?.length ?? 0)
    .split('_')
    .filter((word) => word.length >= TELLING_LETTERS);
}

/** The setting with the most words in common, and among those the one that is the fewest letters away. */
function nearestTo(name: string, known: readonly string[]): string {
  const words = tellingWords(name);
  const rank = (setting: string) => {
    const common = tellingWords(setting).filter((word) => familyOf(setting) === familyOf(name) && words.includes(word));
    return lettersApart(name.toUpperCase(), setting) - common.length * COMMON_WORD_LETTERS;
  };
  const settings = known.filter((setting) => !PROXIES.test(setting));
  return settings.reduce((best, setting) => (rank(setting) < rank(best) ? setting : best), settings[0] ?? '');
}

/** A word in common weighs more than all the letters by which two names may differ. */
const COMMON_WORD_LETTERS = 100;

function familyOf(name: string): string | undefined {
  return FAMILIES.find((family) => `${name}_`.startsWith(family));
}
