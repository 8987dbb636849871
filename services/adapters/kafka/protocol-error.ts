/** The name of an error in Kafka's protocol, also of one that the client library has wrapped. */
export function protocolError(error: unknown): unknown {
  for (let each = error; each instanceof Error; each = each.cause) if ('type' in each) return each.type;
  return undefined;
}
