import type { Bytes, Layer } from '@unikv/core'
import { layerOf, type TransactionalCapabilities, type TransactionalOptions } from './layer/transactional.ts'
import { beginOver } from './run/joint.ts'

/**
 * A layer next to the store, whose records take part in transactions. Each of its records is stored as it is, but for the time in which
 * a transaction has prepared it. Readers see what was committed; writers, and readers of a record that is being decided, wait
 * for the decision.
 *
 * ```ts
 * const accounts = keyValue(redis({ url }), [json(), transactional({ log })])
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function transactional(
  options: TransactionalOptions,
): Layer<Bytes, Bytes, TransactionalCapabilities, { readonly conditionalWrite: true }> {
  return layerOf(options, beginOver)
}
