/** Shows what stands in a field for a password while the button beside it is pressed in, and never when it is sent. */
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
  // A browser keeps what was typed into a field of text for another time.
  field.form?.addEventListener('submit', () => show(false));
  addEventListener('pagehide', () => show(false));
}
