/** Shows the password while the button is pressed in, and hides it before the form is sent. */
export function start(box) {
  const field = box.querySelector('input');
  const button = box.querySelector('button');
  const show = (isShown) => {
    field.type = isShown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(isShown));
  };
  button.addEventListener('click', () => {
    show(field.type === 'password');
    field.focus();
  });
  // Hidden again before the form is sent, since browsers remember the values of text fields.
  field.form?.addEventListener('submit', () => show(false));
  addEventListener('pagehide', () => show(false));
}
