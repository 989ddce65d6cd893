import type { Bytes } from '@unikv/core'

/**
 * The names and values that a data key is bound to in the key management service. They are not secret: services log it. The same must
 * be given to unwrap the key.
 */
export type KmsContext = Readonly<Record<string, string>>

/** Options of a call to a service. If possible, stop early when the signal is aborted. */
export interface KmsCall {
  readonly signal: AbortSignal
  /** In milliseconds of `performance.now()`. */
  readonly deadlineAt: number
}

/** A data key as a service wrapped it. */
export interface WrappedDataKey {
  /** The wrapped key, which only the service can unwrap. */
  readonly blob: Bytes
  /** `info` of the provider at the time when it wrapped the key. */
  readonly info: string
}

/** A new data key. */
export interface DataKey {
  /** 32 random bytes, handed over: they are copied and then overwritten with zeros. */
  readonly key: Bytes
  readonly blob: Bytes
}

/**
 * A key management service: wraps data keys with a key that never leaves it. Each call may fail or hang; it is ended by
 * its deadline. A `StoreError` keeps its code; any other error becomes `UNAVAILABLE`, and only its name is told.
 */
export interface KmsProvider {
  /** Stands in every record: 1 to 32 letters, digits, dots, dashes and underscores. Never use it for another service. */
  readonly id: string
  /** Names the key that wraps now, in at most 512 bytes. Stands in every record; what has another one is old for `reencrypt`. */
  readonly info: string
  /** A new data key, wrapped. */
  generateDataKey(context: KmsContext, call: KmsCall): Promise<DataKey>
  /** The blob of a data key that another provider made: where several wrap one key, all but the first need it. */
  encryptDataKey?(key: Bytes, context: KmsContext, call: KmsCall): Promise<Bytes>
  /**
   * The data key of a blob: 32 bytes, handed over. It must reject for another context.
   *
   * `wrapped.info` comes from the record: do not let it choose a key that the provider was not told to use.
   */
  decryptDataKey(wrapped: WrappedDataKey, context: KmsContext, call: KmsCall): Promise<Bytes>
}
