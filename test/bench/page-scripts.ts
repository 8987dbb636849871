/** In the page: zooms in and out by keyboard, and times the scripts of each step. */
export const ZOOM_STEPS = `(async () => {
  const picture = document.querySelector('.picture');
  const [steps, tasks] = [[], []];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' });
  for (const key of '+++++-----+++++-----') {
    const begin = performance.now();
    picture.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    // React renders what a key changes in a microtask.
    await Promise.resolve();
    await Promise.resolve();
    steps.push(performance.now() - begin);
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }
  return { steps, tasks };
})()`;

/** In the page: moves to earlier decisions, and times until the status of each is shown. */
export const SLIDER_ANSWERS = `(async () => {
  const answers = [];
  const button = [...document.querySelectorAll('button')].find((each) => each.getAttribute('aria-label') === 'previous decision');
  const status = document.querySelector('.beside');
  for (let step = 0; step < 10; step++) {
    const begin = performance.now();
    performance.clearResourceTimings();
    await new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (!performance.getEntriesByType('resource').some(({ name }) => name.includes('/as-of'))) return;
        observer.disconnect();
        requestAnimationFrame(resolve);
      });
      observer.observe(status, { childList: true, subtree: true, characterData: true });
      button.click();
    });
    answers.push(performance.now() - begin);
  }
  return answers;
})()`;
