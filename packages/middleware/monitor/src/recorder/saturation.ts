import type { ProcessLoad } from './process-load.ts'

/** A resource of the process that can be used up. `loop` is the event loop. */
export type Resource = 'loop' | 'memory' | 'heap'

/** From this share on a resource is saturated. */
const saturated = 0.9

const shares: { readonly [resource in Resource]: (load: ProcessLoad) => number } = {
  loop: ({ loopShare }) => loopShare,
  memory: ({ memoryShare }) => memoryShare,
  heap: ({ heapShare }) => heapShare,
}

/** Resources that are saturated, and those that no longer are. */
export class Saturation {
  readonly #now = new Set<Resource>()

  /** The changes since the last look. */
  changes(
    load: ProcessLoad | undefined,
  ): { readonly type: 'saturated' | 'relieved'; readonly resource: Resource; readonly share: number }[] {
    if (load === undefined) return []
    return (Object.keys(shares) as Resource[]).flatMap((resource) => {
      const share = shares[resource](load)
      const isSaturated = share >= saturated
      if (isSaturated === this.#now.has(resource)) return []
      if (isSaturated) this.#now.add(resource)
      else this.#now.delete(resource)
      return [{ type: isSaturated ? 'saturated' : 'relieved', resource, share }]
    })
  }
}
