import type { BenchCell } from '../../run/progress.ts'
import type { StudySubject } from '../../study/study.ts'
import type { OverheadConfig } from './config.ts'
import { finderOf } from './native/searching.ts'
import { peerOf } from './peers.ts'
import type { Operation, SideName } from './side/messages.ts'

/** One operation by one side, or the load of both up to a volume. */
export interface OverheadCell extends BenchCell {
  readonly store: string
  /** Records in the store. */
  readonly volume: number
  /** `null`: a load. */
  readonly measured: { readonly operation: Operation; readonly side: SideName } | null
}

/** In the order in which they are measured, so that there is something to update and to delete. */
export const operations = ['insert', 'read', 'update', 'delete'] as const satisfies readonly Operation[]

/** The sides of a store, the one that is compared with first. */
export function sidesOf(
  { layers, beside }: Pick<OverheadConfig, 'layers' | 'beside'>,
  { url }: { readonly url: string },
): readonly SideName[] {
  const peers = beside.filter((peer) => peerOf(peer, url) !== undefined)
  return ['native', 'unikv', ...(layers.length > 0 ? (['layers'] as const) : []), ...peers]
}

/** The operations that are measured on a store, each with the sides that have it. Only native clients and unikv alone search. */
export function measuredOn(
  config: Pick<OverheadConfig, 'layers' | 'beside'>,
  store: { readonly url: string },
): readonly { readonly operation: Operation; readonly sides: readonly SideName[] }[] {
  const all = operations.map((operation) => ({ operation, sides: sidesOf(config, store) }))
  return finderOf(store.url) === undefined
    ? all
    : [...all, { operation: 'search', sides: ['native', 'unikv'] }]
}

/** Each store by itself, from the smallest volume on; runs go through all operations, and sides take turns to be first. */
export function plan({ config, stores }: StudySubject<OverheadConfig>): readonly OverheadCell[] {
  return stores.flatMap(({ name: store, url }) => {
    const measured = measuredOn(config, { url })
    return config.volumes.flatMap((volume, point) => [
      { run: 0, point, store, volume, measured: null },
      ...Array.from({ length: config.runs + 1 }, (_, run) =>
        measured.flatMap(({ operation, sides }, i) =>
          turned(sides, run + i).map((side) => ({
            run,
            point,
            store,
            volume,
            measured: { operation, side },
          })),
        ),
      ).flat(),
    ])
  })
}

/** The same sides, of which another one is first. */
function turned(sides: readonly SideName[], by: number): readonly SideName[] {
  const at = by % sides.length
  return [...sides.slice(at), ...sides.slice(0, at)]
}
