import { type AnyStore, StoreError } from '@unikv/core'
import { layersThrough, lostWrites } from '@unikv/core/adapter'

/**
 * A cache that others share, or tell of writes, must not lie above a layer that acknowledges writes before its store has
 * them: others load the old value from the store after they were told of the new one, and keep it.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function refuseEarly(inner: AnyStore, what: string): void {
  const found = layersThrough(inner).find(isEarly)
  if (found === undefined) return
  const { name } = found.layer
  throw new StoreError(
    'INVALID_CONFIG',
    `cache: ${what} above ${name}({ background }) would answer with old values: others are told of a write before the store has it. Put ${name} above this cache, or leave background away.`,
  )
}

/** Whether a layer below acknowledges writes that it may lose. */
export function losesWrites(inner: AnyStore): boolean {
  return layersThrough(inner).some(isEarly)
}

function isEarly({ layer }: ReturnType<typeof layersThrough>[number]): boolean {
  return lostWrites.of(layer.plan.facts) !== undefined
}

/** Be told what such layers below lose, until what is returned is called. */
export function hearLosses(inner: AnyStore, hear: (key: string) => unknown): () => void {
  const ends = layersThrough(inner).map(({ layer }) => lostWrites.of(layer.plan.facts)?.(hear))
  return () => {
    for (const end of ends) end?.()
  }
}
