import { t } from './texts.js';

/** Buttons that save a page's codes: as a file made in the browser, so that no request has them, or on paper. */
export function start(box) {
  const codes = () => [...box.querySelectorAll('[data-codes] code')].map((one) => one.textContent);
  box.querySelector('[data-download]').addEventListener('click', () => {
    const file = new Blob([t`Limitline recovery codes for ${location.host}`, `\n\n${codes().join('\n')}\n`], {
      type: 'text/plain',
    });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(file);
    link.download = 'limitline-recovery-codes.txt';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href));
  });
  box.querySelector('[data-print]').addEventListener('click', () => print());
}
