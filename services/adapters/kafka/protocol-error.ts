/** The name that Kafka's protocol gives an error, even if the client library has wrapped the error. */
export function protocolErrorName(error: unknown): unknown {
  for (let each = error; each instanceof Error; each = each.cause) if ('type' in each) return each.type;
  return undefined;
}
