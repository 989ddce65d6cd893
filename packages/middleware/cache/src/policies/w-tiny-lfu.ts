import { FrequencySketch, mostCount } from './frequency-sketch.ts'
import { hottestFirst } from './hottest-first.ts'
import { keyHash } from './key-hash.ts'
import type { Bounds, Policy, Resident } from './policy.ts'
import { Queue } from './queue.ts'

const [window, probation, guarded] = [0, 1, 2]
const windowShare = 0.01
const guardedShare = 0.8

/**
 * W-TinyLFU (Einziger, Friedman and Manes, ACM ToS 2017): newcomers share a window of one per cent; who leaves it must have
 * been asked for more often than who would make room. Behind it two queues: who is used again is guarded.
 */
export class WTinyLfu implements Policy {
  readonly #queues = [new Queue(), new Queue(), new Queue()] as const
  readonly #sketch = new FrequencySketch()
  readonly #maxEntries: number
  readonly #maxBytes: number

  constructor({ maxEntries, maxBytes }: Bounds) {
    this.#maxEntries = maxEntries
    this.#maxBytes = maxBytes
  }

  add(resident: Resident): void {
    const [inWindow, onProbation, inGuard] = this.#queues
    resident.rank = keyHash(resident.key)
    this.#sketch.ensure(inWindow.size + onProbation.size + inGuard.size + 1)
    this.#sketch.add(resident.rank)
    this.#put(resident, window)
    // There is room for all.
    while (inWindow.size > 1 && this.#isOver(inWindow, windowShare))
      this.#move(inWindow.oldest as Resident, probation)
  }

  use(resident: Resident): void {
    this.#sketch.add(resident.rank)
    if (resident.place !== probation) {
      this.#queueOf(resident).renew(resident)
      return
    }
    const [, , inGuard] = this.#queues
    this.#move(resident, guarded)
    while (inGuard.size > 1 && this.#isOver(inGuard, guardedShare))
      this.#move(inGuard.oldest as Resident, probation)
  }

  remove(resident: Resident): void {
    this.#queueOf(resident).remove(resident)
  }

  victim(): Resident {
    const [inWindow, onProbation, inGuard] = this.#queues
    const oldest = onProbation.oldest ?? inGuard.oldest
    const candidate = inWindow.oldest
    if (oldest === undefined || candidate === undefined) return (oldest ?? candidate) as Resident
    if (this.#hasRoom(inWindow)) return oldest
    if (this.#sketch.of(candidate.rank) <= this.#sketch.of(oldest.rank)) return candidate
    this.#move(candidate, probation)
    return oldest
  }

  hottest(): Iterable<Resident> {
    const all = this.#queues.toReversed().flatMap((queue) => Array.from(queue.newestFirst()))
    return hottestFirst(all, ({ rank }) => this.#sketch.of(rank), mostCount)
  }

  /** Whether one more of the usual size will not fill the window. */
  #hasRoom({ size, bytes }: Queue): boolean {
    const present = this.#queues.reduce((sum, queue) => sum + queue.size, 0)
    const usual = this.#queues.reduce((sum, queue) => sum + queue.bytes, 0) / present
    return size + 1 <= this.#maxEntries * windowShare && bytes + usual <= this.#maxBytes * windowShare
  }

  #isOver({ size, bytes }: Queue, share: number): boolean {
    return size > this.#maxEntries * share || bytes > this.#maxBytes * share
  }

  #queueOf({ place }: Resident): Queue {
    return this.#queues[place] as Queue
  }

  #put(resident: Resident, place: number): void {
    resident.place = place
    this.#queueOf(resident).push(resident)
  }

  #move(resident: Resident, place: number): void {
    this.#queueOf(resident).remove(resident)
    this.#put(resident, place)
  }
}
