import { t } from './texts.js';

/** The upload form: takes dropped files and shows progress. Without this module it is an ordinary form with file fields. */
export function start(form) {
  for (const drop of form.querySelectorAll('[data-drop]')) listenToDrops(drop);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(form);
  });
}

function listenToDrops(drop) {
  const field = drop.querySelector('input[type="file"]');
  const over = (isOver) => (isOver ? drop.setAttribute('data-over', '') : drop.removeAttribute('data-over'));
  drop.addEventListener('dragover', (event) => {
    event.preventDefault();
    over(true);
  });
  drop.addEventListener('dragleave', (event) => drop.contains(event.relatedTarget) || over(false));
  drop.addEventListener('drop', (event) => {
    event.preventDefault();
    over(false);
    const files = [...(event.dataTransfer?.files ?? [])];
    const taken = new DataTransfer();
    for (const file of field.multiple ? files : files.slice(0, 1)) taken.items.add(file);
    field.files = taken.files;
  });
}

/** Sends the form by XMLHttpRequest, since `fetch` reports no upload progress. */
function send(form) {
  const progress = form.querySelector('[data-progress]');
  const bar = progress.querySelector('progress');
  const words = progress.querySelector('[data-words]');
  const trouble = form.querySelector('[data-trouble]');
  const button = form.querySelector('button.is-primary');
  const request = new XMLHttpRequest();
  const end = (said) => {
    // The button lost the focus when it was disabled, or the hidden part has it. The next try begins at the button.
    const isLost = document.activeElement === document.body || progress.contains(document.activeElement);
    progress.hidden = true;
    button.disabled = false;
    trouble.innerHTML = said;
    if (isLost) button.focus();
  };
  request.upload.addEventListener('progress', ({ loaded, total, lengthComputable }) => {
    if (lengthComputable) bar.value = total === 0 ? 1 : loaded / total;
    const isAll = lengthComputable && loaded === total;
    words.textContent = isAll ? t`Uploaded. It is being checked.` : t`${megabytes(loaded)} of ${megabytes(total)} MB`;
  });
  request.addEventListener('load', () => {
    if (request.status < 400) location.assign(request.responseURL);
    else end(request.responseText);
  });
  request.addEventListener('error', () =>
    end(notice(t`The connection broke off, and nothing was kept. Upload it again.`)),
  );
  request.addEventListener('abort', () => end(notice(t`The upload was cancelled, and nothing was kept.`)));
  progress.querySelector('[data-cancel]').onclick = () => request.abort();
  trouble.replaceChildren();
  bar.value = 0;
  words.textContent = t`The upload begins.`;
  progress.hidden = false;
  button.disabled = true;
  request.open('POST', form.action);
  request.setRequestHeader('x-fragment', '1');
  request.send(new FormData(form));
}

function megabytes(bytes) {
  return (bytes / 1_000_000).toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** @param words fixed text of this module only, since it is not escaped */
function notice(words) {
  return `<p class="notice is-bad">${words}</p>`;
}
