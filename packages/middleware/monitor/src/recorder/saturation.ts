import type { ProcessLoad } from './process-load.ts'

/** A resource that can be used up: of the process (`loop` is the event loop), of the server of a store, or of a machine. */
export type Resource = 'loop' | 'memory' | 'heap' | 'processor' | 'connections' | 'storage' | 'disk'

/** How much of a resource is in use. */
export interface Used {
  readonly resource: Resource
  /** The store whose server it belongs to, or the machine; without either, the process. */
  readonly store?: string
  readonly machine?: string
  /** From 0 to 1. */
  readonly share: number
}

/** A resource that is saturated from now on, or no longer. */
export interface SaturationChange extends Used {
  readonly type: 'saturated' | 'relieved'
}

/** From this share on a resource is saturated. */
const saturated = 0.9

/** The resources of the process. */
export function usedByProcess(load: ProcessLoad | undefined): readonly Used[] {
  if (load === undefined) return []
  return [
    { resource: 'loop', share: load.loopShare },
    { resource: 'memory', share: load.memoryShare },
    { resource: 'heap', share: load.heapShare },
  ]
}

/** Resources that are saturated, and those that no longer are. */
export class Saturation {
  readonly #now = new Set<string>()

  /** The changes since the last look; resources that are not told stay as they were. */
  changes(used: readonly Used[]): readonly SaturationChange[] {
    return used.flatMap((one) => {
      const name = JSON.stringify([one.resource, one.store, one.machine])
      const isSaturated = one.share >= saturated
      if (isSaturated === this.#now.has(name)) return []
      if (isSaturated) this.#now.add(name)
      else this.#now.delete(name)
      return [{ type: isSaturated ? 'saturated' : 'relieved', ...one }]
    })
  }
}
