import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isScalar, parseDocument } from 'yaml';
import { CHART } from '../deploy/manifests/chart.ts';
import { chartReadme } from '../deploy/manifests/chart-readme.ts';

/**
 * Writes the chart to the folder, with `repository` as the default image, which is the image of the release, so that
 * nodes can pull it.
 */
export function writeReleasedChart(folder: string, repository: string): void {
  rmSync(folder, { recursive: true, force: true });
  cpSync(CHART, folder, { recursive: true });
  const file = join(folder, 'values.yaml');
  const values = readFileSync(file, 'utf8');
  const named = parseDocument(values).getIn(['image', 'repository'], true);
  if (!isScalar(named) || !named.range) throw new TypeError(`${file} has no image.repository`);
  const [from, to] = named.range;
  writeFileSync(file, `${values.slice(0, from)}${repository}${values.slice(to)}`);
  writeFileSync(join(folder, 'README.md'), chartReadme(folder));
}
