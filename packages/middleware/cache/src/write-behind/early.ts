import { type AnyStore, StoreError } from '@unikv/core'
import { layersOf } from '@unikv/core/adapter'

/** Told the key of an acknowledged write that is lost. */
export type OnLoss = (key: string) => unknown

/** Of a layer that acknowledges writes before its store has them: who is told of losses. A symbol of all copies of this package. */
export const early: unique symbol = Symbol.for('@unikv/cache/early')

/**
 * A cache that others share, or tell of writes, must not lie above a queue of writes: others load the old value from the
 * store after they were told of the new one, and keep it.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function refuseEarly(inner: AnyStore, what: string): void {
  if (!layersOf(inner).some(({ layer }) => early in layer)) return
  throw new StoreError(
    'INVALID_CONFIG',
    `cache: ${what} above writeBehind({ background }) would answer with old values: others are told of a write before the store has it. Put writeBehind above this cache, or leave background away.`,
  )
}

/** Be told what queues below lose, until what is returned is called. */
export function hearLosses(inner: AnyStore, hear: OnLoss): () => void {
  const heard = layersOf(inner).flatMap(({ layer }) => (early in layer ? [layer[early] as Set<OnLoss>] : []))
  for (const one of heard) one.add(hear)
  return () => {
    for (const one of heard) one.delete(hear)
  }
}
