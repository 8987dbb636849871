import type { AgentContainer, EnvVar, KeyRef, ConfigRef, AgentPod } from '../pod/pod.ts';
import { ConfigError, type ClusterObjects } from './cluster-objects.ts';
import { podField, resourceField } from './downward.ts';
import { expand } from './expansion.ts';

/** The sources of a container's environment besides the pod. */
export interface EnvironmentSources {
  objects: Pick<ClusterObjects, 'configMap' | 'secret'>;
  /** The variables of the API server's Service: KUBERNETES_SERVICE_HOST and the like. */
  services: Record<string, string>;
  /** The node's allocatable resources. */
  node: Record<string, string>;
}

/**
 * The variables that the pod declares, in the kubelet's order: services, envFrom, env. Later variables win. @throws ConfigError when a referenced
 * object or key is missing and not optional.
 */
export async function declaredEnvironment(
  pod: AgentPod,
  container: AgentContainer,
  from: EnvironmentSources,
): Promise<Record<string, string>> {
  const declared: Record<string, string> = {};
  for (const source of container.envFrom ?? []) {
    const entries = {
      ...(source.configMapRef && (await readEntries(pod, 'configMap', source.configMapRef, from.objects))),
      ...(source.secretRef && (await readEntries(pod, 'secret', source.secretRef, from.objects))),
    };
    for (const [key, value] of Object.entries(entries))
      declared[(source.prefix ?? '') + key] = value.toString('utf8');
  }
  for (const variable of container.env ?? []) {
    const value = await readValue(
      variable,
      pod,
      container,
      from,
      (name) => declared[name] ?? from.services[name],
    );
    if (value !== undefined) declared[variable.name] = value;
  }
  return { ...from.services, ...declared };
}

async function readValue(
  variable: EnvVar,
  pod: AgentPod,
  container: AgentContainer,
  from: EnvironmentSources,
  known: (name: string) => string | undefined,
): Promise<string | undefined> {
  const source = variable.valueFrom;
  if (source === undefined) return expand(variable.value ?? '', known);
  if (source.configMapKeyRef) return readKey(pod, 'configMap', source.configMapKeyRef, from.objects);
  if (source.secretKeyRef) return readKey(pod, 'secret', source.secretKeyRef, from.objects);
  const field = source.fieldRef
    ? podField(pod, source.fieldRef.fieldPath)
    : source.resourceFieldRef && resourceField(pod, container, source.resourceFieldRef, from.node);
  if (field === undefined)
    throw new ConfigError(`env ${variable.name}: this node does not support ${JSON.stringify(source)}`);
  return field;
}

type Kind = 'configMap' | 'secret';

async function readKey(
  pod: AgentPod,
  kind: Kind,
  ref: KeyRef,
  objects: EnvironmentSources['objects'],
): Promise<string | undefined> {
  const value = (await readEntries(pod, kind, ref, objects))[ref.key];
  if (value === undefined && ref.optional !== true) {
    throw new ConfigError(`couldn't find key ${ref.key} in ${kind} ${pod.metadata.namespace}/${ref.name}`);
  }
  return value?.toString('utf8');
}

/** @throws ConfigError when the object does not exist and is not optional. */
export async function readEntries(
  pod: AgentPod,
  kind: Kind,
  ref: ConfigRef,
  objects: EnvironmentSources['objects'],
): Promise<Record<string, Buffer>> {
  const found = await objects[kind](pod.metadata.namespace, ref.name);
  if (found === undefined && ref.optional !== true)
    throw new ConfigError(`${kind.toLowerCase()} "${ref.name}" not found`);
  return found ?? {};
}

/** The environment variables through which containers find the API server, with the address that this node uses. */
export function serviceVariables(server: URL): Record<string, string> {
  const port = server.port === '' ? (server.protocol === 'https:' ? '443' : '80') : server.port;
  return {
    KUBERNETES_SERVICE_HOST: server.hostname,
    KUBERNETES_SERVICE_PORT: port,
    KUBERNETES_SERVICE_PORT_HTTPS: port,
  };
}
