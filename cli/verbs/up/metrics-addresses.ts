import { LOOPBACK, reservePorts } from '../../../infra/local/state/ports.ts';
import type { StateDirectory } from '../../../infra/local/state/state-directory.ts';
import { parseHostPort, addressText } from '../../../services/adapters/network/address.ts';
import { InputError } from '../../../services/adapters/errors.ts';
import { SERVICES, type ServiceName } from './service-children.ts';

/**
 * The metrics addresses of the services: stored loopback ports, or consecutive ports from the given port; empty if the option is `off`.
 */
export async function metricsAddresses(
  given: string | undefined,
  state: Pick<StateDirectory, 'at'>,
): Promise<Partial<Record<ServiceName, string>>> {
  if (given === 'off') return {};
  if (given === undefined || given === '') {
    const port = await reservePorts(state.at('ports.json'), SERVICES.map(portName));
    return addresses((name) => ({ host: LOOPBACK, port: port(portName(name)) }));
  }
  const first = parseHostPort(given);
  if (first === null)
    throw new InputError(`JOBLEDGER_METRICS_ADDRESS: "${given}" is neither host:port nor off`);
  const { host, port } = first;
  return addresses((_name, at) => ({ host, port: port === 0 ? 0 : port + at }));
}

/** The name under which the port of a service is stored. */
function portName(name: ServiceName): string {
  return `${name}-metrics`;
}

/** The address of each service, from its name and its place in the list. */
function addresses(
  of: (name: ServiceName, at: number) => { host: string; port: number },
): Record<ServiceName, string> {
  return Object.fromEntries(SERVICES.map((name, at) => [name, addressText(of(name, at))])) as Record<
    ServiceName,
    string
  >;
}
