/** Settings of one call. `undefined` is the same as absent. */
export interface CallSettings {
  /** The deadline, which covers queueing, connecting, retries and decoding. @default 5000 */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** One of `capabilities.consistency`. */
  readonly consistency?: string | undefined
}
