/** One request, from the API server's own audit log. */
export interface AuditEvent {
  verb: string;
  requestURI: string;
  user: { username: string };
  objectRef?: {
    apiGroup?: string;
    resource?: string;
    subresource?: string;
    namespace?: string;
    name?: string;
  };
  responseStatus?: { code?: number };
  requestReceivedTimestamp: string;
  /** The time when the request was answered. */
  stageTimestamp: string;
  annotations?: Record<string, string>;
}
