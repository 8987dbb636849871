import type { GoTool } from './catalog.ts';

/** A file that the project of a server publishes, with its published checksum. */
export interface PublishedFile {
  readonly url: string;
  /** The address of a text with the checksum, alone or in a line with the name of the file. */
  readonly checksumUrl: string;
  readonly algorithm: 'sha256' | 'sha512';
  /**
   * The part to take from the archive: a program, or a folder. When `member` is absent, the file itself is the program.
   */
  readonly member?: string;
}

export interface Platform {
  readonly os: 'linux' | 'darwin';
  readonly arch: 'amd64' | 'arm64';
}

const ARCHITECTURES: Readonly<Record<string, Platform['arch']>> = { x64: 'amd64', arm64: 'arm64' };

/** The platform in the words of the publishers; undefined on a system for which no project publishes servers. */
export function toPlatform(system: string, processor: string): Platform | undefined {
  const arch = ARCHITECTURES[processor];
  return (system === 'linux' || system === 'darwin') && arch !== undefined ? { os: system, arch } : undefined;
}

/**
 * The published file of a program; undefined when its project publishes no file for this platform. Kubernetes publishes its servers for Linux only.
 */
export function publishedTool(
  { name, version }: Pick<GoTool, 'name' | 'version'>,
  { os, arch }: Platform,
): PublishedFile | undefined {
  switch (name) {
    case 'kube-apiserver':
    case 'kube-controller-manager':
    case 'kube-scheduler':
    case 'kubectl': {
      if (os !== 'linux' && name !== 'kubectl') return undefined;
      const url = `https://dl.k8s.io/release/v${version}/bin/${os}/${arch}/${name}`;
      return { url, checksumUrl: `${url}.sha256`, algorithm: 'sha256' };
    }
    case 'etcd': {
      const folder = `https://github.com/etcd-io/etcd/releases/download/v${version}`;
      const archive = `etcd-v${version}-${os}-${arch}`;
      return {
        url: `${folder}/${archive}.${os === 'darwin' ? 'zip' : 'tar.gz'}`,
        checksumUrl: `${folder}/SHA256SUMS`,
        algorithm: 'sha256',
        member: `${archive}/etcd`,
      };
    }
    case 'temporal': {
      const folder = `https://github.com/temporalio/cli/releases/download/v${version}`;
      return {
        url: `${folder}/temporal_cli_${version}_${os}_${arch}.tar.gz`,
        checksumUrl: `${folder}/checksums.txt`,
        algorithm: 'sha256',
        member: 'temporal',
      };
    }
    case 'helm': {
      const url = `https://get.helm.sh/helm-v${version}-${os}-${arch}.tar.gz`;
      return { url, checksumUrl: `${url}.sha256sum`, algorithm: 'sha256', member: `${os}-${arch}/helm` };
    }
    default:
      return undefined;
  }
}

/** The published file of Kafka, which is the same on every platform. */
export function publishedKafka(version: string): PublishedFile {
  const name = `kafka_2.13-${version}`;
  return {
    // The foundation's list of mirrors, which also knows where older releases are.
    url: `https://www.apache.org/dyn/closer.lua/kafka/${version}/${name}.tgz?action=download`,
    checksumUrl: `https://archive.apache.org/dist/kafka/${version}/${name}.tgz.sha512`,
    algorithm: 'sha512',
    member: `${name}/libs`,
  };
}
