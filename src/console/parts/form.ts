import { type Html, type HtmlValue, html, NOTHING } from '../html/html.ts';

/**
 * A form. One that changes something is posted to an address of `addAction` and needs `csrf: reply.csrf()`; in a piece that
 * comes by events `csrf: ''`, which the browser's module fills in from its page, since that piece is the same for everybody.
 *
 * @param given.multipart for forms with files: the token goes into the address, since fields come too late for it
 * @param given.dialog a `get` form whose answer is shown in a dialog where there is script (a plan, before its yes)
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
  const {
    action,
    body,
    method = 'post',
    csrf,
    multipart = false,
    dialog,
    class: name = 'form',
    id,
    label,
    module,
    role,
  } = given;
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

/** A hidden field. @param form the id of its form, where it stands outside of it */
export function hidden(name: string, value: string, form?: string): Html {
  return html`<input type="hidden" form="${form}" name="${name}" value="${value}">`;
}

type FieldGiven = {
  label: string;
  name: string;
  /** One per page and name where there are several. */
  id?: string;
  /** Below the field, in small words. */
  hint?: HtmlValue;
  /** What is wrong with what stands there; read out with the field. */
  problem?: string | undefined;
  /** The label is read out and not shown, as for a search. */
  hideLabel?: boolean;
};

/** A field with its label, its hint and what is wrong with it. */
export function field(
  given: FieldGiven & {
    type?: 'text' | 'password' | 'search' | 'number' | 'email' | 'file' | 'date';
    value?: string;
    required?: boolean;
    placeholder?: string;
    accept?: string;
    multiple?: boolean;
    inputmode?: 'decimal' | 'numeric';
    autocomplete?: string;
    maxlength?: number;
    /** A name or a code: nothing corrects it, or begins it with a capital. */
    plain?: boolean;
  },
): Html {
  const {
    type = 'text',
    value,
    required,
    placeholder,
    accept,
    multiple,
    inputmode,
    autocomplete = 'off',
    maxlength,
    plain,
  } = given;
  const id = given.id ?? `field-${given.name}`;
  return around(
    given,
    id,
    html`<input class="input" id="${id}" name="${given.name}" type="${type}" value="${value}" required="${required}" placeholder="${placeholder}" accept="${accept}" multiple="${multiple}" inputmode="${inputmode}" autocomplete="${type === 'file' ? undefined : autocomplete}" maxlength="${maxlength}" autocapitalize="${plain && 'none'}" spellcheck="${plain && 'false'}" aria-invalid="${given.problem !== undefined && 'true'}" aria-describedby="${describedBy(given, id)}">`,
  );
}

/** A choice of one, as a list that opens. */
export function select(
  given: FieldGiven & { value?: string; options: readonly { value: string; words: string; disabled?: boolean }[] },
): Html {
  const id = given.id ?? `field-${given.name}`;
  return around(
    given,
    id,
    html`<select class="input" id="${id}" name="${given.name}" aria-invalid="${given.problem !== undefined && 'true'}" aria-describedby="${describedBy(given, id)}">${given.options.map(({ value, words, disabled }) => html`<option value="${value}" selected="${value === given.value}" disabled="${disabled}">${words}</option>`)}</select>`,
  );
}

/** A text of several lines. */
export function textArea(
  given: FieldGiven & { value?: string; rows?: number; readonly?: boolean; required?: boolean },
): Html {
  const id = given.id ?? `field-${given.name}`;
  return around(
    given,
    id,
    html`<textarea class="input" id="${id}" name="${given.name}" rows="${given.rows ?? 4}" readonly="${given.readonly}" required="${given.required}" aria-invalid="${given.problem !== undefined && 'true'}" aria-describedby="${describedBy(given, id)}">${given.value ?? ''}</textarea>`,
  );
}

/** Yes or no. With `type: 'radio'` one of several with one name. */
export function tick(given: {
  label: HtmlValue;
  name: string;
  value?: string;
  checked?: boolean;
  type?: 'checkbox' | 'radio';
  hint?: HtmlValue;
  /** The id of its form, where it stands outside of it. */
  form?: string;
}): Html {
  const { label, name, value = 'yes', checked, type = 'checkbox', hint, form } = given;
  return html`<label class="tick"><input type="${type}" form="${form}" name="${name}" value="${value}" checked="${checked}"><span>${label}${hint !== undefined && html`<small class="hint">${hint}</small>`}</span></label>`;
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
