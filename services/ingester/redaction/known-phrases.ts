import { REDACTED } from '../../adapters/events/redacted.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';

/**
 * The phrases that are recorded from a message about a container that could not start. The rest of the message stays
 * redacted, because a message quotes command lines, and error pages of registries may contain tokens.
 */
const PHRASES: readonly RegExp[] = [
  /executable file not found in \$PATH/,
  /no such file or directory/,
  /no such directory on this host/,
  /permission denied/,
  /exec format error/,
  /is a directory/,
  /not a directory/,
  /no command specified/,
  /argument list too long/,
  /error mounting/,
  /container init was OOM-killed/,
  /manifest unknown/,
  /no match for platform in manifest/,
  /no matching manifest/,
  /pull access denied/,
  /repository does not exist/,
  /authorization failed/,
  /401 Unauthorized/,
  /403 Forbidden/,
  /404 Not Found/,
  /429 Too Many Requests/,
  /invalid reference format/,
  /certificate signed by unknown authority/,
  /certificate has expired/,
  /server gave HTTP response to HTTPS client/,
  /no such host/,
  /no route to host/,
  /connection refused/,
  /connection reset by peer/,
  /i\/o timeout/,
  /context deadline exceeded/,
  /no space left on device/,
  /container has runAsNonRoot and image will run as root/,
  /container has runAsNonRoot and image has non-numeric user/,
];

/**
 * The phrases of messages about the objects that a container names. The recorded spec of the container contains the
 * names of these objects too.
 */
const MISSING_OBJECTS = [
  /^(?:secret|configmap) "[a-z0-9][a-z0-9.-]{0,252}" not found$/,
  /^couldn't find key [\w.-]{1,253} in (?:Secret|ConfigMap) [a-z0-9][a-z0-9./-]{0,506}$/,
];

/** The further phrases that are recorded from the text of an Event, in which the kubelet and volume plugins report failures. */
const PHRASES_OF_EVENTS: readonly RegExp[] = [
  /^(?:Liveness|Readiness|Startup) probe (?:failed|errored|warning)/,
  /HTTP probe failed with statuscode: \d{3}/,
  /^Back-off (?:restarting failed container|pulling image)/,
  /^Error: (?:ImagePullBackOff|ErrImagePull|ErrImageNeverPull|InvalidImageName)$/,
  /^Failed to pull image/,
  /^Failed to create pod sandbox/,
  /^(?:MountVolume|AttachVolume|MapVolume)\.\w{1,40} failed/,
  /^Unable to attach or mount volumes/,
  /^Multi-Attach error/,
  /Volume is already (?:exclusively attached to one node|used by pod\(s\))/,
  /timed out waiting for the condition/,
  /object "[a-z0-9.-]{1,253}"\/"[a-z0-9.-]{1,253}" not registered/,
  /(?:secret|configmap|persistentvolumeclaim) "[a-z0-9][a-z0-9.-]{0,252}" not found/,
  /references non-existent (?:secret|config) key/,
  /failed to assign an IP address to container/,
  /failed to set up sandbox container/,
  /network plugin is not ready|cni plugin not initialized|container runtime network not ready/,
];

/** The container runtime and the kubelet write the messages of these reasons; a program cannot. */
const NOT_STARTED = new Set([
  'StartError',
  'ContainerCannotRun',
  'RunContainerError',
  'CreateContainerError',
  'CreateContainerConfigError',
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
]);

interface Ended {
  reason?: string;
  message?: string;
}

/** The states of a container that may have a message. */
type States = Readonly<Record<string, Readonly<Record<string, Ended | undefined>> | undefined>>;

const STATUSES = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

/** Adds the known phrases of the redacted messages to a recorded pod. */
export function withKnownPhrases(recorded: Pod, observed: Pod): Pod {
  const changed = STATUSES.flatMap((list) => {
    const [to, from] = [statusesIn(recorded, list), statusesIn(observed, list)];
    const now = to.map((status, at) => withPhrase(status, from[at] ?? {}));
    return now.some((status, at) => status !== to[at]) ? [[list, now] as const] : [];
  });
  if (changed.length === 0) return recorded;
  return { ...recorded, status: { ...recorded.status, ...Object.fromEntries(changed) } };
}

function statusesIn({ status }: Pod, list: (typeof STATUSES)[number]): States[] {
  const found = (status as Record<string, unknown> | undefined)?.[list];
  return Array.isArray(found) ? (found as States[]) : [];
}

function withPhrase(to: States, from: States): States {
  let status = to;
  for (const [state, part] of [
    ['state', 'waiting'],
    ['state', 'terminated'],
    ['lastState', 'terminated'],
  ] as const) {
    const message = to[state]?.[part]?.message === REDACTED ? findKnownPhrases(from[state]?.[part]) : '';
    if (message === '') continue;
    status = {
      ...status,
      [state]: { ...status[state], [part]: { ...status[state]?.[part], message } },
    };
  }
  return status;
}

/** The known phrases of a message; empty when the message has no known phrase. */
function findKnownPhrases({ reason = '', message = '' }: Ended = {}): string {
  if (!NOT_STARTED.has(reason) || typeof message !== 'string') return '';
  if (reason === 'CreateContainerConfigError' && MISSING_OBJECTS.some((object) => object.test(message)))
    return message;
  return phrasesIn(PHRASES, message);
}

/** The known phrases of the text of an Event; empty when the text has no known phrase. */
export function knownPhrasesOfEvent(text: string): string {
  return phrasesIn([...PHRASES_OF_EVENTS, ...PHRASES], text);
}

function phrasesIn(phrases: readonly RegExp[], text: string): string {
  return phrases.flatMap((phrase) => phrase.exec(text)?.[0] ?? []).join('; ');
}
