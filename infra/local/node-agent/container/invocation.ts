import type { AgentContainer, AgentPod } from '../pod/pod.ts';
import { expand } from './expansion.ts';
import type { LocalImage } from './local-images.ts';
import { mountVariables, substituteMounts, type Mount } from './mounts.ts';

/** The command line, environment and working directory of a process to start. */
export interface Invocation {
  argv: string[];
  env: Record<string, string>;
  /** The working directory; if it is absent, the process runs in the attempt's own directory. */
  cwd?: string;
}

/** The only variables of the agent's own environment that a container inherits. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'USER'];

/** The parts of a container's process that its pod does not have. */
interface Around {
  /** The variables that the pod declares. */
  declared: Record<string, string>;
  mounts: readonly Mount[];
  /** The agent's own environment. */
  own: Record<string, string | undefined>;
  /** The files of the image, when this host has them. */
  image?: LocalImage;
}

/** The process of a container: command and args with `$(NAME)` expanded and mount paths replaced. */
export function createInvocation(
  pod: AgentPod,
  container: AgentContainer,
  { declared, mounts, own, image }: Around,
): Invocation {
  const files = Object.entries(image?.files ?? {}).map(([mountPath, hostPath]) => ({
    name: 'image',
    mountPath,
    hostPath,
  }));
  const toHostPaths = (text: string): string => substituteMounts(text, [...files, ...mounts]);
  return {
    argv: [
      ...imageEntrypoint(container, image),
      ...buildArgv(container, image).map((text) => toHostPaths(expand(text, (name) => declared[name]))),
    ],
    env: {
      ...inheritedVariables(own),
      HOSTNAME: (pod.spec.hostname ?? pod.metadata.name).slice(0, 63),
      ...mountVariables(mounts),
      ...image?.environment,
      ...Object.fromEntries(Object.entries(declared).map(([name, value]) => [name, toHostPaths(value)])),
    },
    ...(container.workingDir === undefined || container.workingDir === ''
      ? {}
      : { cwd: toHostPaths(container.workingDir) }),
  };
}

/** Images whose program is known: pause waits until it is stopped; busybox has a shell, which ends without input. */
const PROGRAMS: readonly [image: RegExp, argv: readonly string[]][] = [
  [/(^|\/)pause(:|@|$)/, ['tail', '-f', '/dev/null']],
  [/(^|\/)busybox(:|@|$)/, ['sh']],
];

function buildArgv(
  { command = [], args = [], image = '' }: AgentContainer,
  local: LocalImage | undefined,
): readonly string[] {
  const argv = [...command, ...args];
  if (argv.length > 0 || local !== undefined) return argv;
  return PROGRAMS.find(([known]) => known.test(image))?.[1] ?? argv;
}

/** The entrypoint of an image whose files this host has. Its paths are paths of this host. */
function imageEntrypoint({ command = [] }: AgentContainer, local: LocalImage | undefined): readonly string[] {
  return command.length > 0 ? [] : (local?.entrypoint ?? []);
}

function inheritedVariables(own: Record<string, string | undefined>): Record<string, string> {
  const entries = INHERITED.map((name) => [name, own[name]] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
