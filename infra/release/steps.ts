/** One step of a release: a command, or several in order. */
export interface ReleaseStep {
  name: string;
  commands: readonly (readonly [file: string, ...args: string[]])[];
}

export interface ReleaseOf {
  version: string;
  /** The folder for the built files. */
  folder: string;
  /** The folder of the chart, which names the image. */
  chart: string;
  /** Path of the program. */
  helm: string;
}

/** The image of a release, without its tag. */
export function imageName(registry: string): string {
  return `${registry}/jobledger`;
}

/** The files of a release, beside the notes. */
export const FILES = ['image.tar', 'chart.tgz', 'client.tgz', 'command-line.tgz', 'notes.md'] as const;

/**
 * The steps that test and build, in order. No step publishes: the release workflow publishes the files in `folder`
 * (docs/releasing.md).
 */
export function releaseSteps({ version, folder, chart, helm }: ReleaseOf): ReleaseStep[] {
  return [
    {
      name: 'the suite',
      commands: [
        ['bash', '.ci/run'],
        ['npm', 'run', 'test:long'],
      ],
    },
    {
      name: 'the image, for each platform',
      commands: [
        [
          'docker',
          'buildx',
          'build',
          '--platform',
          'linux/amd64,linux/arm64',
          '--provenance=mode=max',
          '--sbom=true',
          '--output',
          `type=oci,dest=${folder}/image.tar`,
          '.',
        ],
      ],
    },
    {
      name: 'the chart',
      commands: [
        [helm, 'package', chart, '--destination', folder],
        ['mv', `${folder}/jobledger-${version}.tgz`, `${folder}/chart.tgz`],
      ],
    },
    {
      name: 'the clients of the API',
      commands: [
        ['npm', 'run', 'clients', '--', 'typescript'],
        ['npm', 'pack', './build/clients/typescript', '--pack-destination', folder],
        ['mv', `${folder}/jobledger-client-${version}.tgz`, `${folder}/client.tgz`],
      ],
    },
    {
      name: 'the command line over the API',
      commands: [
        ['npm', 'run', 'command-line'],
        ['npm', 'pack', './build/command-line', '--pack-destination', folder],
        ['mv', `${folder}/jobledger-${version}.tgz`, `${folder}/command-line.tgz`],
      ],
    },
    {
      name: 'the digests of the files',
      commands: [['bash', '-c', `cd ${folder} && sha256sum ${FILES.join(' ')} > SHA256SUMS`]],
    },
  ];
}
