import { userInfo } from 'node:os';

/** Who acted in a console without users, in what versions before wrote down. No user may be called so. */
export const CONSOLE_ACTOR = 'console';

/** Who acts by a command: the user of the system who runs it, or who became root for it by `sudo`. A container's user may have no name. */
export function commandLineActor(): string {
  const uid = process.getuid?.();
  // Root can call itself anything, and nobody else is believed.
  if (uid === 0 && process.env.SUDO_USER) return `command line (${process.env.SUDO_USER})`;
  try {
    return `command line (${userInfo().username})`;
  } catch {
    return `command line (uid ${uid ?? 'unknown'})`;
  }
}

/** Who put something into the drop folder: the user of the system who owns it. */
export function dropActor(user: string): string {
  return `drop folder (${user})`;
}

/** Whether somebody put it into the drop folder. */
export function isDropActor(by: string): boolean {
  // As earlier versions wrote it of every file.
  return by.startsWith('drop folder (') || by === 'inbox';
}

/** Whether this is the person whom a setting names: a user of ours, or as an identity provider names them, in full. */
export function isNamed(name: string, by: string): boolean {
  const [wanted, given] = [name, by].map((text) => text.normalize('NFKC').toLowerCase());
  return given === wanted || (given?.startsWith(`${wanted} (sso `) ?? false);
}

/** What people call somebody by, under whatever name they act: namesakes have it in common. */
export function personOf(by: string): string {
  return shortOf(kindOf(by).name);
}

/**
 * Whether two names of those who act may be of one person: a user of ours, one whom an identity provider knows, and a user of the
 * system who runs commands or drops files have names of different kinds. Names of one kind are of one person where they are the same; names of two
 * kinds where what people call each other by is: `alice`, `command line (alice)` and `alice@example.com (sso 4f6d2a)`. So somebody
 * may be kept from answering for a namesake, and nobody answers their own under another of their names.
 */
export function isSamePerson(one: string, other: string): boolean {
  const [a, b] = [kindOf(one), kindOf(other)];
  return a.kind === b.kind ? a.name === b.name : shortOf(a.name) === shortOf(b.name);
}

/** Whether this is a user of the system, who acts by commands, and in a console without users. */
export function isOfSystem(by: string): boolean {
  return kindOf(by).kind === 'system';
}

/** Whether an identity provider knows this person. */
export function isOfProvider(by: string): boolean {
  return kindOf(by).kind === 'provider';
}

type Kind = { kind: 'system' | 'provider' | 'user'; name: string };

function kindOf(by: string): Kind {
  const folded = by.normalize('NFKC').toLowerCase();
  // First: a provider's people choose what they are called, `command line` too.
  if (/ \(sso [0-9a-f]+\)$/.test(folded)) return { kind: 'provider', name: folded };
  if (folded === CONSOLE_ACTOR) return { kind: 'system', name: folded };
  const [, system] = /^(?:command line|drop folder) \((.*)\)$/s.exec(folded) ?? [];
  return system === undefined ? { kind: 'user', name: folded } : { kind: 'system', name: system };
}

/** Without the domain, and without what tells one provider's people from another's. A system may say `DOMAIN\alice`. */
function shortOf(name: string): string {
  const [whose = ''] = name.split(' (sso ');
  return whose.split('@')[0]?.split('\\').at(-1) ?? '';
}
