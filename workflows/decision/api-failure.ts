/** An error returned by the API server. */
export interface ApiFailure {
  status: number;
  reason: string;
  message: string;
}
