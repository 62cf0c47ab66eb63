/** Goes on by itself to the page of what was waited for, once an event has brought its address (data-go). */
export function start(element) {
  const go = () => {
    const address = element.querySelector('[data-go]')?.dataset.go;
    if (address?.startsWith('/')) location.replace(address);
  };
  document.addEventListener('swapped', go);
  go();
}
