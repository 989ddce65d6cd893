import type { OwnContext, OwnWorkload } from './define-workload.ts'

/** States of callers. Each operation takes one, so that as many are made as operations are under way at one time. */
export class OwnStates {
  readonly #make: OwnWorkload<unknown>['state']
  readonly #context: Pick<OwnContext, 'kv' | 'random'>
  readonly #free: unknown[] = []
  #made = 0

  constructor(make: OwnWorkload<unknown>['state'], context: Pick<OwnContext, 'kv' | 'random'>) {
    this.#make = make
    this.#context = context
  }

  /** Make some before their time would count. */
  async prepare(count: number): Promise<void> {
    if (this.#make === undefined) return
    const states = await Promise.all(Array.from({ length: count }, () => this.#next()))
    this.#free.push(...states.reverse())
  }

  /** A free state. */
  take(): unknown {
    if (this.#free.length > 0) return this.#free.pop()
    return this.#next()
  }

  /** It is free again. */
  give(state: unknown): void {
    if (this.#make !== undefined) this.#free.push(state)
  }

  #next(): unknown {
    const { kv, random } = this.#context
    return this.#make?.({ index: this.#made++, kv, random })
  }
}
