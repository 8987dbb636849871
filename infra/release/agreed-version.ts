import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../../services/adapters/errors.ts';

/** The files that name the version of a release, and its notes. */
export interface ReleaseTexts {
  /** package.json and package-lock.json, as text. */
  manifest: string;
  lock: string;
  /** infra/deploy/chart/Chart.yaml. */
  chart: string;
  changelog: string;
}

export function readReleaseTexts(root: string): ReleaseTexts {
  const readText = (...parts: string[]): string => readFileSync(join(root, ...parts), 'utf8');
  return {
    manifest: readText('package.json'),
    lock: readText('package-lock.json'),
    chart: readText('infra', 'deploy', 'chart', 'Chart.yaml'),
    changelog: readText('CHANGELOG.md'),
  };
}

/**
 * The version that all files of a release name. `tag` is the released tag, such as `v0.2.0`; without it only the texts are compared. @throws
 * InputError that names each difference.
 */
export function agreedVersion({ manifest, lock, chart }: ReleaseTexts, tag?: string): string {
  const { version } = JSON.parse(manifest) as { version: string };
  const named: [string, string | undefined][] = [
    ['package-lock.json', (JSON.parse(lock) as { version: string }).version],
    ['version in infra/deploy/chart/Chart.yaml', /^version: (\S+)$/m.exec(chart)?.[1]],
    ['appVersion in infra/deploy/chart/Chart.yaml', /^appVersion: (\S+)$/m.exec(chart)?.[1]],
    ...(tag === undefined ? [] : [['the tag', tag.replace(/^v/, '')] as [string, string]]),
  ];
  const others = named.filter(([, found]) => found !== version);
  if (others.length > 0)
    throw new InputError(
      `package.json has version ${version}, but ${others.map(([where, found]) => `${where} has ${found ?? 'none'}`).join(', and ')}`,
    );
  return version;
}

/**
 * The part of the changelog about a version. With `isFinal`, the heading must not say "not released yet". @throws
 * InputError if the section does not exist.
 */
export function releaseNotes({ changelog }: ReleaseTexts, version: string, isFinal: boolean): string {
  const heading = `## ${version}`;
  const parts = changelog.split(/^(?=## )/m);
  const part = parts.find((each) => each.startsWith(`${heading}\n`) || each.startsWith(`${heading},`));
  if (part === undefined) throw new InputError(`CHANGELOG.md has no heading "${heading}"`);
  const [first = '', ...rest] = part.split('\n');
  if (isFinal && first.includes('not released yet'))
    throw new InputError(`CHANGELOG.md says "${first}": write the date of the release instead`);
  return rest.join('\n').trim();
}
