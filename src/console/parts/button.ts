import { type Html, type HtmlValue, html } from '../html/html.ts';
import { commandLine } from './command-line.ts';
import { form, hidden } from './form.ts';

/** `primary` once a page at most; `danger` for what cannot be taken back. */
export type ButtonKind = 'primary' | 'plain' | 'danger' | 'quiet';

/** A button of a form. */
export function button(given: {
  words: HtmlValue;
  kind?: ButtonKind;
  name?: string;
  value?: string;
  disabled?: boolean;
  /** Read out instead of the words, where several say the same: `Retry line 17`. */
  label?: string;
  /** The form that it sends, where it stands outside of it, and the address that the form then goes to. */
  form?: string;
  action?: string;
}): Html {
  const { words, kind = 'plain', name, value, disabled, label, form, action } = given;
  return html`<button class="button is-${kind}" form="${form}" formaction="${action}" name="${name}" value="${value}" disabled="${disabled}" aria-label="${label}">${words}</button>`;
}

/** A link that looks like a button, for what only leads somewhere. With `dialog` it is shown there, where there is script. */
export function linkButton(given: {
  href: string;
  words: HtmlValue;
  kind?: ButtonKind;
  dialog?: boolean;
  download?: boolean;
  label?: string;
}): Html {
  const { href, words, kind = 'plain', dialog, download, label } = given;
  return html`<a class="button is-${kind}" href="${href}" data-dialog="${dialog}" download="${download}" aria-label="${label}">${words}</a>`;
}

/**
 * A form of one button, which does one thing, with the command beside it that does the same.
 *
 * @param given.csrf `reply.csrf()`, or `''` in a piece that comes by events
 */
export function actionButton(given: {
  action: string;
  csrf: string;
  words: HtmlValue;
  kind?: ButtonKind;
  fields?: Readonly<Record<string, string>>;
  command?: string;
  label?: string;
  disabled?: boolean;
}): Html {
  const { action, csrf, words, kind, fields = {}, command, label, disabled } = given;
  const body = html`${Object.entries(fields).map(([name, value]) => hidden(name, value))}${button({
    words,
    ...(kind === undefined ? {} : { kind }),
    ...(label === undefined ? {} : { label }),
    ...(disabled === undefined ? {} : { disabled }),
  })}`;
  return html`<div class="action">${form({ action, csrf, body, class: 'inline-form' })}${command !== undefined && commandLine(command)}</div>`;
}
