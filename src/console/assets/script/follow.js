/** Opens the next page once an event brings its address (data-go). */
export function start(element) {
  const go = () => {
    const address = element.querySelector('[data-go]')?.dataset.go;
    if (address?.startsWith('/')) location.replace(address);
  };
  document.addEventListener('swapped', go);
  go();
}
