import { ycsbPresetNames } from '@unikv/bench/engine'
import type { LayerConfiguration } from '@unikv/manager'

/** Callers at the same time, and bytes of a value. */
const callers = [1, 16] as const
const sizes = [200, 8000] as const

/** A core workload of YCSB. */
export type Mix = (typeof ycsbPresetNames)[number]

/** One situation of a store: what is asked of it, by how many, and how large its values are. */
export interface Cell {
  /** The store, by its number. */
  readonly store: number
  readonly mix: Mix
  readonly callers: number
  readonly bytes: number
}

/** A way to set up a store, and the tactic that leads there. */
export interface Trial {
  readonly name: string
  readonly tactic: string
  /** @param memory name of a store in memory, if there is one */
  readonly layers: (memory: string | undefined) => readonly LayerConfiguration[] | undefined
}

/** Set-ups that are compared with the store as it is. */
export const trials: readonly Trial[] = [
  { name: 'plain', tactic: 'none', layers: () => [] },
  {
    name: 'small cache',
    tactic: 'add-cache',
    layers: () => [{ cache: { maxEntries: 50, freshForMs: 5000 } }],
  },
  {
    name: 'large cache',
    tactic: 'add-cache',
    layers: () => [{ cache: { maxEntries: 10_000, freshForMs: 5000 } }],
  },
  { name: 'compressed', tactic: 'compress', layers: () => [{ compression: { acceptPlain: true } }] },
  {
    name: 'tier',
    tactic: 'add-tier',
    layers: (memory) =>
      memory === undefined ? undefined : [{ tier: { store: memory, freshForMs: 60_000 } }],
  },
]

/** All situations of so many stores, those of one store and size one after the other. */
export function cellsOf(stores: number, mixes: readonly Mix[] = ycsbPresetNames): readonly Cell[] {
  return Array.from({ length: stores }, (_, store) =>
    sizes.flatMap((bytes) =>
      mixes.flatMap((mix) => callers.map((count) => ({ store, mix, callers: count, bytes }))),
    ),
  ).flat()
}

/** The name of a situation in the file. */
export function nameOf({ store, mix, callers: count, bytes }: Cell): string {
  return `store ${store + 1}, YCSB ${mix.toUpperCase()}, ${count} callers, ${bytes} bytes`
}
