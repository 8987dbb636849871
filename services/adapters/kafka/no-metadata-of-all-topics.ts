import { createRequire } from 'node:module';

// The parts of kafkajs that this module uses.

/** A request after its encoding. */
interface Encoded {
  buffer: Buffer;
}
/** A request before its encoding. */
interface ProtocolRequest {
  request: { encode: () => Promise<Encoded> };
}
type Lookup = (api: unknown, versions: unknown) => (values: unknown) => ProtocolRequest;
interface Broker {
  lookupRequest: Lookup;
  metadata(topics?: readonly string[]): Promise<unknown>;
}

const { prototype } = createRequire(import.meta.url)('kafkajs/src/broker') as { prototype: Broker };
const { metadata } = prototype;

/** The number of topics, at the beginning of the request: -1 stands for every topic. */
const NO_TOPIC = 0;

/**
 * Changes kafkajs 2.2.4 for the whole process. To learn the brokers, kafkajs asks for the metadata of every topic of the cluster,
 * and fails while any partition has no leader, even a partition of another program. After this call, kafkajs asks for no topic to
 * learn the brokers, so `listTopics` of an admin client returns an empty list. Requests for named topics stay as they are.
 */
export function neverAskForAllTopics(): void {
  prototype.metadata = function (this: Broker, topics = []): Promise<unknown> {
    if (topics.length > 0) return metadata.call(this, topics);
    const lookupRequest: Lookup = (api, versions) => {
      const protocol = this.lookupRequest(api, versions);
      return (values) => withoutTopics(protocol(values));
    };
    // kafkajs encodes an empty list as every topic, so a copy of the broker, for this call only, changes the encoded number.
    return metadata.call(Object.create(this, { lookupRequest: { value: lookupRequest } }) as Broker);
  };
}

function withoutTopics({ request, ...protocol }: ProtocolRequest): ProtocolRequest {
  const encode = async (): Promise<Encoded> => {
    const encoded = await request.encode();
    encoded.buffer.writeInt32BE(NO_TOPIC, 0);
    return encoded;
  };
  return { ...protocol, request: { ...request, encode } };
}
