/** What a reader of server-sent events has received: each event with its id, and the last id. */
export interface EventStream {
  events: { id: string; event: { id: string; type: string } }[];
  /** The last id received, with or without an event. */
  lastId: string | undefined;
  status: number;
  /** Resolves when the stream is over: `ended` in order, `broken` otherwise. */
  over: Promise<'ended' | 'broken'>;
  close(): void;
}

/** Opens a stream as a browser's EventSource does, parsed as the standard says. */
export async function openEventStream(
  url: string,
  headers: Record<string, string>,
  lastEventId?: string,
): Promise<EventStream> {
  const closing = new AbortController();
  const answer = await fetch(url, {
    headers: {
      accept: 'text/event-stream',
      ...headers,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: closing.signal,
  });
  const stream: EventStream = {
    events: [],
    lastId: undefined,
    status: answer.status,
    over: Promise.resolve('ended'),
    close: () => closing.abort(),
  };
  stream.over = readInto(stream, answer);
  return stream;
}

async function readInto(stream: EventStream, answer: Response): Promise<'ended' | 'broken'> {
  let text = '';
  try {
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) take(stream, block);
    }
    return 'ended';
  } catch {
    return 'broken';
  }
}

function take(stream: EventStream, block: string): void {
  const field = (name: string): string | undefined =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const [id, data] = [field('id'), field('data')];
  stream.lastId = id ?? stream.lastId;
  if (id !== undefined && data !== undefined)
    stream.events.push({ id, event: JSON.parse(data) as EventStream['events'][number]['event'] });
}
