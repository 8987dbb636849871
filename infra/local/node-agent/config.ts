import { z } from 'zod';
import { readConfig } from '../../../services/adapters/config.ts';
import { readLocalImages, type LocalImage } from './container/local-images.ts';

const file = z.string().min(1);
const millisecondsSetting = (byDefault: number): z.ZodDefault<z.ZodCoercedNumber> =>
  z.coerce.number().min(0).default(byDefault);

const schema = z
  .object({
    NODE_AGENT_KUBECONFIG: file,
    NODE_AGENT_NODE_NAME: z.string().min(1).default('local'),
    NODE_AGENT_STATE_DIR: file,
    NODE_AGENT_ADDRESS: z.string().min(1).default('127.0.0.1'),
    NODE_AGENT_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
    NODE_AGENT_TLS_CERT: file.optional(),
    NODE_AGENT_TLS_KEY: file.optional(),
    NODE_AGENT_CLIENT_CA: file.optional(),
    NODE_AGENT_BACKOFF_MS: millisecondsSetting(10_000),
    NODE_AGENT_MAX_BACKOFF_MS: millisecondsSetting(300_000),
    NODE_AGENT_IMAGES: file.optional(),
    NODE_AGENT_CONTAINERS_ON_STOP: z.enum(['stop', 'leave']).default('stop'),
  })
  .refine((given) => tlsFiles(given).length !== 1 && tlsFiles(given).length !== 2, {
    path: ['NODE_AGENT_TLS_CERT'],
    message: 'set NODE_AGENT_TLS_KEY and NODE_AGENT_CLIENT_CA too, or none of the three',
  });

export interface NodeAgentConfig {
  kubeconfig: string;
  nodeName: string;
  stateDirectory: string;
  address: string;
  port: number;
  /** Paths of PEM files. The log endpoint is off if they are absent. */
  tls?: { cert: string; key: string; clientCa: string };
  backOff: { baseMs: number; maxMs: number };
  images: readonly LocalImage[];
  /** The fate of the containers on a graceful stop of the agent. */
  containersOnStop: 'stop' | 'leave';
}

/** @throws InputError that names every invalid variable, one per line, or the list of images that cannot be read. */
export function readNodeAgentConfig(environment: NodeJS.ProcessEnv): Readonly<NodeAgentConfig> {
  const given = readConfig(schema, environment);
  const [cert, key, clientCa] = tlsFiles(given);
  return Object.freeze({
    kubeconfig: given.NODE_AGENT_KUBECONFIG,
    nodeName: given.NODE_AGENT_NODE_NAME,
    stateDirectory: given.NODE_AGENT_STATE_DIR,
    address: given.NODE_AGENT_ADDRESS,
    port: given.NODE_AGENT_PORT,
    ...(cert === undefined || key === undefined || clientCa === undefined
      ? {}
      : { tls: { cert, key, clientCa } }),
    backOff: { baseMs: given.NODE_AGENT_BACKOFF_MS, maxMs: given.NODE_AGENT_MAX_BACKOFF_MS },
    images: given.NODE_AGENT_IMAGES === undefined ? [] : readLocalImages(given.NODE_AGENT_IMAGES),
    containersOnStop: given.NODE_AGENT_CONTAINERS_ON_STOP,
  });
}

interface TlsVariables {
  NODE_AGENT_TLS_CERT?: string | undefined;
  NODE_AGENT_TLS_KEY?: string | undefined;
  NODE_AGENT_CLIENT_CA?: string | undefined;
}

function tlsFiles(given: TlsVariables): string[] {
  const files = [given.NODE_AGENT_TLS_CERT, given.NODE_AGENT_TLS_KEY, given.NODE_AGENT_CLIENT_CA];
  return files.filter((one) => one !== undefined);
}
