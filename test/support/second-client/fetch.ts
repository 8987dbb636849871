import type { Consumer, RecordsBatch } from '@platformatic/kafka';

type FetchResponse = Awaited<ReturnType<Consumer['fetch']>>;

/** Records of a partition, from the wanted offset on. */
export interface Fetched {
  partition: number;
  messages: { offset: string; key: Buffer | null; value: Buffer | null }[];
  /** The offset of the last record that the batches cover, also if Kafka has compacted it away. */
  last: bigint;
  /** The offset after the newest record of the partition. */
  end: bigint;
}

/** For Kafka's protocol. */
const [OFFSET_OUT_OF_RANGE, EARLIEST] = [1, -2n];

/** Bit of a batch's attributes: it has no records of ours but a mark of Kafka's transactions. */
const IS_CONTROL = 0b10_0000;

/**
 * Returns the function that fetches from the given offsets once: one request to each broker that leads some of the partitions.
 * `startOver` gets the first offset of a partition that does not have the wanted one.
 */
export function createFetcher(
  consumer: Consumer,
  topic: string,
  { maxBytes, startOver }: { maxBytes: number; startOver: (partition: number, first: bigint) => void },
): (offsets: ReadonlyMap<number, bigint>) => Promise<Fetched[]> {
  return async (offsets) => {
    const { topics } = await consumer.metadata({ topics: [topic] });
    const known = topics.get(topic);
    if (known === undefined) return [];
    const leaders = Map.groupBy(offsets, ([partition]) => known.partitions[partition]?.leader ?? -1);
    const answers = await Promise.all(
      [...leaders].map(([node, wanted]) =>
        consumer
          .fetch({
            node,
            topics: [
              { topicId: known.id, partitions: wanted.map((each) => partitionRequest(each, maxBytes)) },
            ],
          })
          .catch(errorResponse),
      ),
    );
    const partitions = answers.flatMap(({ responses }) => responses.flatMap((each) => each.partitions));
    for (const { partitionIndex, errorCode } of partitions) {
      if (errorCode !== OFFSET_OUT_OF_RANGE) continue;
      const only = { [topic]: [partitionIndex] };
      const first = await consumer.listOffsets({ topics: [topic], partitions: only, timestamp: EARLIEST });
      startOver(partitionIndex, first.get(topic)?.[partitionIndex] ?? 0n);
    }
    return partitions
      .filter(({ errorCode }) => errorCode === 0)
      .map(({ partitionIndex, highWatermark, records }) =>
        fetchedFrom(
          partitionIndex,
          { from: offsets.get(partitionIndex) ?? 0n, end: highWatermark },
          records ?? [],
        ),
      )
      .filter(({ last }) => last >= 0n);
  };
}

/** An error of one partition rejects the whole request, but the error has the response. @throws one without. */
function errorResponse(error: unknown): FetchResponse {
  const { response } = error as { response?: FetchResponse };
  if (response === undefined) throw error;
  return response;
}

function partitionRequest(
  [partition, fetchOffset]: [number, bigint],
  partitionMaxBytes: number,
): {
  partition: number;
  fetchOffset: bigint;
  partitionMaxBytes: number;
  currentLeaderEpoch: number;
  lastFetchedEpoch: number;
} {
  return { partition, fetchOffset, partitionMaxBytes, currentLeaderEpoch: -1, lastFetchedEpoch: -1 };
}

/** A batch may begin before the wanted offset. */
function fetchedFrom(
  partition: number,
  { from, end }: { from: bigint; end: bigint },
  batches: readonly RecordsBatch[],
): Fetched {
  const messages = batches
    .filter(({ attributes }) => (attributes & IS_CONTROL) === 0)
    .flatMap(({ firstOffset, records }) =>
      records.map(({ offsetDelta, key, value }) => ({ at: firstOffset + BigInt(offsetDelta), key, value })),
    )
    .filter(({ at }) => at >= from)
    .map(({ at, key, value }) => ({ offset: String(at), key, value }));
  const newest = batches.at(-1);
  const last = newest === undefined ? -1n : newest.firstOffset + BigInt(newest.lastOffsetDelta);
  return { partition, messages, last, end };
}
