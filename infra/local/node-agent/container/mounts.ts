import type { AgentContainer } from '../pod/pod.ts';

/** A mount path of the pod's spec, and the directory or file on the host that replaces it. */
export interface Mount {
  name: string;
  mountPath: string;
  hostPath: string;
}

/**
 * Replaces mount paths in a text by their host paths, because a plain process has no separate root directory. Only
 * whole path names are replaced (`/scratch` in `/scratch/a` and `--out=/scratch`, not in `/scratchpad` or
 * `/home/scratch`), the longest mount path first.
 */
export function substituteMounts(text: string, mounts: readonly Mount[]): string {
  const byPath = new Map(mounts.map((mount) => [withoutEndSlashes(mount.mountPath), mount.hostPath]));
  byPath.delete('');
  if (byPath.size === 0) return text;
  const longestFirst = [...byPath.keys()].sort((a, b) => b.length - a.length);
  const paths = longestFirst.map((path) => path.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|');
  const whole = new RegExp(String.raw`(?<![\w./-])(?:${paths})(?![\w.-])`, 'g');
  return text.replaceAll(whole, (path) => byPath.get(path) ?? path);
}

function withoutEndSlashes(path: string): string {
  return path.replace(/(?<!\/)\/+$/, '');
}

/** `JOBLEDGER_MOUNT_<NAME>` with the host path of each volume, for programs that build their paths themselves. */
export function mountVariables(mounts: readonly Mount[]): Record<string, string> {
  return Object.fromEntries(
    mounts.map((mount) => [
      `JOBLEDGER_MOUNT_${mount.name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`,
      mount.hostPath,
    ]),
  );
}

/** True when a container's command, args, env or working directory mentions a mount's path or variable. */
export function mentionsMount(
  container: AgentContainer,
  mount: { name: string; mountPath: string },
): boolean {
  const here = { ...mount, hostPath: '\0' };
  const [variable = ''] = Object.keys(mountVariables([here]));
  const values = (container.env ?? []).map((one) => one.value ?? '');
  const texts = [
    ...(container.command ?? []),
    ...(container.args ?? []),
    ...values,
    container.workingDir ?? '',
  ];
  return texts.some((text) => text.includes(variable) || substituteMounts(text, [here]).includes('\0'));
}
