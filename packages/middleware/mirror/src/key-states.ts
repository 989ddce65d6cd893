import { Lane } from './lane.ts'

/** The lanes of all keys of which something is known: those being written, and those that are owed. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()

  /** The lane of a key, made if there is none. */
  of(key: string): Lane {
    let lane = this.#lanes.get(key)
    if (lane === undefined) {
      lane = new Lane(key)
      this.#lanes.set(key, lane)
    }
    return lane
  }

  find(key: string): Lane | undefined {
    return this.#lanes.get(key)
  }

  /** A write of the key begins. */
  enter(key: string): Lane {
    const lane = this.of(key)
    lane.writing++
    if (lane.writing > 1) lane.met = true
    return lane
  }

  /** A write of the key has ended in the primary. Whether it had the key for itself. */
  leave(lane: Lane): boolean {
    const wasAlone = !lane.met
    lane.writing--
    if (lane.writing === 0) lane.met = false
    return wasAlone
  }

  /** Whether no other lane of the key has taken its place since it was forgotten. */
  owns(lane: Lane): boolean {
    return (this.#lanes.get(lane.key) ?? lane) === lane
  }

  /** Forget a lane that has nothing to tell. */
  drop(lane: Lane): void {
    if (lane.isIdle) this.#lanes.delete(lane.key)
  }

  get size(): number {
    return this.#lanes.size
  }
}
