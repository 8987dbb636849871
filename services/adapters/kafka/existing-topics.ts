import type { UsedAdmin } from './client-library.ts';
import { protocolErrorName } from './protocol-error.ts';

/** Returns those of the given topics that exist. The request names no other topic of the cluster. */
export async function existingTopics(
  admin: Pick<UsedAdmin, 'fetchTopicMetadata'>,
  topics: readonly string[],
): Promise<Set<string>> {
  const found = await Promise.all(topics.map(async (topic) => ((await exists(admin, topic)) ? [topic] : [])));
  return new Set(found.flat());
}

async function exists(admin: Pick<UsedAdmin, 'fetchTopicMetadata'>, topic: string): Promise<boolean> {
  try {
    await admin.fetchTopicMetadata({ topics: [topic] });
    return true;
  } catch (error) {
    const type = protocolErrorName(error);
    if (type === 'UNKNOWN_TOPIC_OR_PARTITION') return false;
    if (type === 'LEADER_NOT_AVAILABLE') return true;
    throw error;
  }
}
