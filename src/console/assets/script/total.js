/** Adds the control total, as it is typed, to the command that does the same. */
export function start(field) {
  const input = field.querySelector('input');
  const command = document.querySelector('.same-command [data-copied]');
  const plain = command.textContent;
  const show = () => {
    const total = input.value.trim();
    const word = /^[\d.,]+$/.test(total) ? total : `'${total.replaceAll("'", `'\\''`)}'`;
    command.textContent = total === '' ? plain : `${plain} --total ${word}`;
  };
  input.addEventListener('input', show);
  show();
}
