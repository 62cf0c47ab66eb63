import { type Html, type HtmlValue, html } from '../html/html.ts';

/**
 * A field for a password, with a button that shows what was typed (it needs script, and is hidden without). Nothing keeps
 * anybody from pasting, and `autocomplete` tells password managers which password is meant (HTML, section 4.10.18.7.1).
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
    <span class="password" data-module="show-password">
      <input class="input" id="${id}" name="${name}" type="password" required autocomplete="${autocomplete}" maxlength="1000" autocapitalize="none" spellcheck="false" aria-describedby="${hint !== undefined && `${id}-hint`}">
      <button type="button" class="button is-quiet password-show" aria-pressed="false" aria-controls="${id}" aria-label="Show ${label.toLowerCase()}">Show</button>
    </span>
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`;
}
