// Loaded before a program (node --import): appends the URL of each module that it loads to the file LIST_MODULES.
import { appendFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';

const hooks = `
  import { appendFileSync } from 'node:fs';
  export async function load(url, context, next) {
    appendFileSync(process.env.LIST_MODULES, url + '\\n');
    return next(url, context);
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

process.on('exit', () => {
  const { cache } = createRequire(import.meta.url);
  appendFileSync(
    process.env.LIST_MODULES,
    Object.keys(cache)
      .map((file) => `${file}\n`)
      .join(''),
  );
});
