/** One step of a release: a command, or several in order. */
export interface ReleaseStep {
  name: string;
  commands: readonly (readonly [file: string, ...args: string[]])[];
  /** It makes something public, so a dry run leaves it out. */
  publishes: boolean;
}

export interface ReleaseOf {
  version: string;
  /** The registry for images and charts: `ghcr.io/OWNER`. */
  registry: string;
  /** The folder for the built files. */
  folder: string;
  /** The file with the notes. */
  notes: string;
  /** The folder of the chart, which names the image. */
  chart: string;
  /** Path of the program. */
  helm: string;
}

/** The image of a release, without its tag. */
export function imageIn(registry: string): string {
  return `${registry}/jobledger`;
}

const PLATFORMS = 'linux/amd64,linux/arm64';

/** The steps in order. Everything pushed is signed with the identity of the workflow (keyless). */
export function releaseSteps({ version, registry, folder, notes, chart, helm }: ReleaseOf): ReleaseStep[] {
  const image = imageIn(registry);
  const packed = `${folder}/jobledger-${version}.tgz`;
  const build = [
    'docker',
    'buildx',
    'build',
    '--platform',
    PLATFORMS,
    '--provenance=mode=max',
    '--sbom=true',
  ] as const;
  return [
    { name: 'the suite', commands: [['bash', '.ci/run']], publishes: false },
    {
      name: 'the image, for each platform',
      commands: [[...build, '--output', `type=oci,dest=${folder}/image.tar`, '.']],
      publishes: false,
    },
    {
      name: 'the chart',
      commands: [[helm, 'package', chart, '--destination', folder]],
      publishes: false,
    },
    {
      name: 'the clients of the API',
      commands: [
        ['npm', 'run', 'clients', '--', 'typescript'],
        ['npm', 'pack', './build/clients/typescript', '--pack-destination', folder],
      ],
      publishes: false,
    },
    {
      name: 'the command line over the API',
      commands: [
        ['npm', 'run', 'command-line'],
        // The chart's file has the same name.
        ['mkdir', '-p', `${folder}/npm`],
        ['npm', 'pack', './build/command-line', '--pack-destination', `${folder}/npm`],
      ],
      publishes: false,
    },
    {
      name: 'push and sign the image',
      commands: [
        [...build, '--tag', `${image}:${version}`, '--metadata-file', `${folder}/image.json`, '--push', '.'],
        ['cosign', 'sign', '--yes', `${image}:${version}`],
      ],
      publishes: true,
    },
    {
      name: 'push and sign the chart',
      commands: [
        [helm, 'push', packed, `oci://${registry}/charts`],
        ['cosign', 'sign', '--yes', `${registry}/charts/jobledger:${version}`],
      ],
      publishes: true,
    },
    {
      name: 'publish the client package',
      commands: [['npm', 'publish', `${folder}/jobledger-client-${version}.tgz`, '--access', 'public']],
      publishes: true,
    },
    {
      name: 'publish the command line',
      commands: [['npm', 'publish', `${folder}/npm/jobledger-${version}.tgz`, '--access', 'public']],
      publishes: true,
    },
    {
      name: 'the release with its notes',
      commands: [
        ['gh', 'release', 'create', `v${version}`, '--title', version, '--notes-file', notes, packed],
      ],
      publishes: true,
    },
  ];
}
