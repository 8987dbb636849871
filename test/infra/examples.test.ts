import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAllYaml } from '../support/yaml.ts';
import { OWN_MANAGER } from '../../workflows/kubernetes/names.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';

const files = readdirSync('examples', { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.(ya?ml|mjs)$/.test(file),
);
const readme = readFileSync('examples/README.md', 'utf8');
const tests = readdirSync('test/e2e/examples')
  .map((file) => readFileSync(join('test/e2e/examples', file), 'utf8'))
  .join('\n');

/** A Job of another controller, and a queue without a Job. */
const OTHER_YAML = ['jobs/managed-by.yaml', 'work-queue/queue.yaml'];

describe('every example manifest', () => {
  it.each(files)('is listed in examples/README.md: %s', (file) => {
    expect(readme).toContain(`](${file})`);
  });

  it.each(files.filter((file) => file.endsWith('yaml') && !OTHER_YAML.includes(file)))(
    'runs under the default claim: %s',
    (file) => {
      const jobs = (loadAllYaml(readFileSync(join('examples', file), 'utf8')) as Job[]).filter(
        ({ kind }) => kind === 'Job',
      );
      expect(jobs.length).toBeGreaterThan(0);
      for (const { spec } of jobs) expect(spec.managedBy).toBe(OWN_MANAGER);
    },
  );

  // The demo runs flaky.yaml.
  it.each(files.filter((file) => file !== 'flaky.yaml'))('is run by a test: %s', (file) => {
    const [, name = ''] = /([^/]+)\.\w+$/.exec(file) ?? [];
    expect(tests).toContain(name);
  });
});
