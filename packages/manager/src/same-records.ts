import { statSync } from 'node:fs'
import { datasetName, diskPlaceOf } from '@unikv/core/adapter'
import type { PairConfiguration, StoreConfiguration } from './configuration/configuration.ts'
import type { Opened } from './stack.ts'
import { wrong } from './wrong.ts'

/**
 * Check that a store has records of its own. Two names for the same records are written with `from`: otherwise the records
 * of one would replace those of the other.
 *
 * @param earlier stores that were opened before
 * @throws {StoreError} `INVALID_CONFIG` with the place
 */
export function checkOwnRecords(
  { name, shared: { dataset } }: Opened,
  earlier: readonly Opened[],
  stores: { readonly [name: string]: StoreConfiguration },
): void {
  const { namespace, mirror, fallback } = stores[name] as StoreConfiguration
  const ownPlace = ({ url, store }: StoreConfiguration = {}): boolean =>
    url !== undefined || store !== undefined
  if (ownPlace(stores[name]))
    for (const other of earlier) {
      const its = stores[other.name] as StoreConfiguration
      if (!ownPlace(its) || !areSame(other.shared.dataset, dataset) || its.namespace !== namespace) continue
      throw wrong(
        `stores.${name}`,
        `its records are those of ${other.name}. Give it a dataset or a namespace of its own, or, to share them, write \`from: ${other.name}\``,
      )
    }
  const pair = mirror ?? fallback
  if (pair !== undefined) checkPair(`stores.${name}`, pair, earlier)
}

function checkPair(
  path: string,
  { primary, secondary }: PairConfiguration,
  earlier: readonly Opened[],
): void {
  const [first, second] = [primary, secondary].map(
    (side) => earlier.find(({ name }) => name === side)?.shared.dataset,
  )
  if (areSame(first, second))
    throw wrong(path, `the records of ${primary} and ${secondary} are the same, not two copies`)
}

/** Whether two datasets are one, also where different paths lead to it by links. */
function areSame(one: string | undefined, other: string | undefined): boolean {
  return one === other || (one !== undefined && behindLinks(one) === behindLinks(other))
}

function behindLinks(dataset: string | undefined): string | undefined {
  const place = diskPlaceOf(dataset)
  const found = place && statSync(place.path, { throwIfNoEntry: false })
  return found === undefined ? dataset : datasetName(place?.kind ?? '', found.dev, found.ino, place?.table)
}
