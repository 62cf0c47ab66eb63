import { ROLES, type Role } from '../../people/person.ts';
import { type Html, type HtmlValue, html, NOTHING, t } from '../html/html.ts';
import { commandLine } from './text.ts';

/**
 * A form. A `post` form is sent to an address of `addAction` and needs `csrf: reply.csrf()`. Markup that events bring is the same
 * for everybody, so it has `''` as `csrf`, and the browser's module fills the token in.
 *
 * @param given.multipart for forms with files: the token goes into the address, since fields arrive too late
 * @param given.dialog shows the answer of a `get` form in a dialog, where scripts run
 */
export function form(given: {
  action: string;
  body: HtmlValue;
  method?: 'get' | 'post';
  csrf?: string;
  multipart?: boolean;
  dialog?: boolean;
  class?: string;
  id?: string;
  label?: string;
  module?: string;
  role?: 'search';
}): Html {
  const { action, body, method = 'post', csrf, multipart = false } = given;
  const { dialog, class: name = 'form', id, label, module, role } = given;
  if (method === 'post' && csrf === undefined)
    throw new TypeError(`The form to ${action} has no token: give it reply.csrf().`);
  const address = multipart
    ? `${action}${action.includes('?') ? '&' : '?'}_csrf=${encodeURIComponent(csrf ?? '')}`
    : action;
  return html`<form action="${address}" method="${method}" enctype="${multipart && 'multipart/form-data'}" class="${name}" id="${id}" role="${role}" aria-label="${label}" data-dialog="${dialog}" data-module="${module}">
    ${method === 'post' && !multipart ? html`<input type="hidden" name="_csrf" value="${csrf}">` : NOTHING}
    ${body}
  </form>`;
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

type FieldGiven = {
  label: string;
  name: string;
  /** The id of the input. It is needed where several forms of a page have a field of this name. */
  id?: string;
  /** A small text below the field. */
  hint?: HtmlValue;
  /** What is wrong with the value; screen readers announce it with the field. */
  problem?: string | undefined;
  /** Hides the label except from screen readers, for example in a search. */
  hideLabel?: boolean;
};

export function field(
  given: FieldGiven & {
    type?: 'text' | 'password' | 'search' | 'file';
    value?: string;
    required?: boolean;
    placeholder?: string;
    accept?: string;
    multiple?: boolean;
    inputmode?: 'decimal' | 'numeric';
    autocomplete?: string;
    maxlength?: number;
    /** For names and codes: no spelling correction and no automatic capitals. */
    plain?: boolean;
  },
): Html {
  const { type = 'text', value, required, placeholder, accept } = given;
  const { multiple, inputmode, autocomplete = 'off', maxlength, plain } = given;
  const id = given.id ?? `field-${given.name}`;
  const input = html`<input class="input" id="${id}" name="${given.name}" type="${type}" value="${value}" required="${required}" placeholder="${placeholder}" accept="${accept}" multiple="${multiple}" inputmode="${inputmode}" autocomplete="${type === 'file' ? undefined : autocomplete}" maxlength="${maxlength}" autocapitalize="${plain && 'none'}" spellcheck="${plain && 'false'}" aria-invalid="${given.problem !== undefined && 'true'}" aria-describedby="${describedBy(given, id)}" autofocus="${given.problem !== undefined}">`;
  return around(given, id, input);
}

export function select(
  given: FieldGiven & { value?: string; options: readonly { value: string; words: string }[] },
): Html {
  const id = given.id ?? `field-${given.name}`;
  const input = html`<select class="input" id="${id}" name="${given.name}" aria-invalid="${given.problem !== undefined && 'true'}" aria-describedby="${describedBy(given, id)}" autofocus="${given.problem !== undefined}">${given.options.map(({ value, words }) => html`<option value="${value}" selected="${value === given.value}">${words}</option>`)}</select>`;
  return around(given, id, input);
}

export function tick(given: {
  label: HtmlValue;
  name: string;
  value?: string;
  checked?: boolean;
  hint?: HtmlValue;
  /** The id of the form, for a checkbox outside of it. */
  form?: string;
}): Html {
  const { label, name, value = 'yes', checked, hint, form } = given;
  return html`<label class="tick"><input type="checkbox" form="${form}" name="${name}" value="${value}" checked="${checked}"><span>${label}${hint !== undefined && html`<small class="hint">${hint}</small>`}</span></label>`;
}

function around(given: FieldGiven, id: string, input: Html): Html {
  return html`<div class="${['field', given.problem !== undefined && 'has-problem']}">
    <label class="${given.hideLabel ? 'unseen' : ''}" for="${id}">${given.label}</label>
    ${input}
    ${given.hint !== undefined && html`<p class="hint" id="${id}-hint">${given.hint}</p>`}
    ${given.problem !== undefined && html`<p class="problem" id="${id}-problem">${given.problem}</p>`}
  </div>`;
}

function describedBy({ hint, problem }: FieldGiven, id: string): string | undefined {
  const ids = [...(hint === undefined ? [] : [`${id}-hint`]), ...(problem === undefined ? [] : [`${id}-problem`])];
  return ids.length === 0 ? undefined : ids.join(' ');
}

/**
 * A field for a password, with a button that shows the text (hidden where no script runs). Pasting is allowed. `autocomplete`
 * tells password managers which password belongs here (HTML, section 4.10.18.7.1).
 */
export function passwordField(given: {
  label: string;
  name: string;
  autocomplete: 'current-password' | 'new-password';
  hint?: HtmlValue;
  id?: string;
}): Html {
  const { label, name, autocomplete, hint, id = `field-${name}` } = given;
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <span class="password" data-module="showPassword">
      <input class="input" id="${id}" name="${name}" type="password" required autocomplete="${autocomplete}" maxlength="1000" autocapitalize="none" spellcheck="false" aria-describedby="${hint !== undefined && `${id}-hint`}">
      <button type="button" class="button is-quiet password-show" aria-pressed="false" aria-controls="${id}" aria-label="Show ${label.toLowerCase()}">Show</button>
    </span>
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`;
}

/** What each role is for, in short. */
const ROLE_WORDS: Readonly<Record<Role, string>> = {
  viewer: t`Looks at portfolios; contacts of buyers are masked, and rows are not downloaded.`,
  finance: t`Uploads, previews, corrects and submits files; cancels and retries rows of their own portfolios; downloads.`,
  approver: t`Looks at all of it, and approves what others submitted.`,
  operator: t`Retries, cancels, resolves, pauses and resumes; sees the queues, answers for rows with an unknown result, and downloads.`,
  admin: t`Manages users, ends sessions of others and reads the audit; this role alone may do nothing with portfolios.`,
};

export function roleList(roles: readonly Role[]): Html {
  return html`<span class="chips">${roles.map((role) => html`<span class="role">${role}</span>`)}</span>`;
}

export function roleTicks(roles: readonly Role[]): Html {
  return html`<fieldset class="role-ticks"><legend>Roles</legend>${ROLES.map((role) =>
    tick({ label: role, name: `role-${role}`, checked: roles.includes(role), hint: ROLE_WORDS[role] }),
  )}</fieldset>`;
}

export function tickedRoles(fields: Readonly<Record<string, string>>): Role[] {
  return ROLES.filter((role) => fields[`role-${role}`] !== undefined);
}

/** The looks of a button. A page has at most one `primary` button; `danger` is for actions that cannot be undone. */
type ButtonKind = 'primary' | 'plain' | 'danger' | 'quiet';

export function button(given: {
  words: HtmlValue;
  kind?: ButtonKind;
  name?: string;
  value?: string;
  /** Replaces the text for screen readers, where several buttons have the same text: `Retry line 17`. */
  label?: string;
  /** The id of the button's form, for a button outside of it; `action` replaces the form's address. */
  form?: string;
  action?: string;
  /** Shows the answer in a dialog, where scripts run. */
  dialog?: boolean;
}): Html {
  const { words, kind = 'plain', name, value, label, form, action, dialog } = given;
  return html`<button class="button is-${kind}" form="${form}" formaction="${action}" name="${name}" value="${value}" data-dialog="${dialog}" aria-label="${label}">${inOnePiece(words)}</button>`;
}

/** The words of a button as one element, so that they break into lines as a text does. */
const inOnePiece = (words: HtmlValue): HtmlValue => (typeof words === 'string' ? words : html`<span>${words}</span>`);

/** A link that looks like a button, for navigation. With `dialog` its page opens in a dialog, where scripts run. */
export function linkButton(given: {
  href: string;
  words: HtmlValue;
  kind?: ButtonKind;
  dialog?: boolean;
  download?: boolean;
  /** Whether the link leads from an answer to a form back to the form's page (posted of assets/script/elements.js). */
  back?: boolean;
  label?: string;
}): Html {
  const { href, words, kind = 'plain', dialog, download, back, label } = given;
  return html`<a class="button is-${kind}" href="${href}" data-dialog="${dialog}" data-back="${back}" download="${download}" aria-label="${label}">${inOnePiece(words)}</a>`;
}

/**
 * A form of one button, with the command that does the same.
 *
 * @param given.csrf `reply.csrf()`, or `''` in a piece that is sent by events
 */
export function actionButton(given: {
  action: string;
  csrf: string;
  words: HtmlValue;
  kind?: ButtonKind;
  fields?: Readonly<Record<string, string>>;
  command?: string;
  label?: string;
}): Html {
  const { action, csrf, words, kind, fields = {}, command, label } = given;
  const body = html`${Object.entries(fields).map(([name, value]) => hidden(name, value))}${button({
    words,
    ...(kind === undefined ? {} : { kind }),
    ...(label === undefined ? {} : { label }),
  })}`;
  return html`<div class="action">${form({ action, csrf, body, class: 'inline-form' })}${command !== undefined && commandLine(command)}</div>`;
}
