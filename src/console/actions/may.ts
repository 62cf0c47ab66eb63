/** What somebody may wish to do, beyond looking. */
export type Action =
  | 'import'
  | 'upload'
  | 'mend'
  | 'plan'
  | 'retry'
  | 'cancel'
  | 'resolve'
  | 'pause'
  | 'resume'
  | 'pause queue'
  | 'resume queue'
  | 'own password'
  | 'begin factor'
  | 'own factor'
  | 'own codes'
  | 'end session'
  | 'add user'
  | 'change roles'
  | 'reset password'
  | 'reset factor'
  | 'end sessions'
  | 'remove user';

/** Who acts: `Person.by`. */
export type Actor = { name: string };

/** What an action is about, as far as it is about one portfolio. */
export type Wish = { actor: Actor; action: Action; portfolio?: string | undefined };

/** Says whether it may be done: `true`, or why not, in words for the person. */
export type May = (wish: Wish) => Promise<true | string>;

/** Whoever reaches the console may do everything: it answers on loopback only, and has no users yet. */
export const everybodyMay: May = async () => true;
