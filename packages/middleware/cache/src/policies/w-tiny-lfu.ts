import { FrequencySketch, mostCount } from './frequency-sketch.ts'
import { hottestFirst } from './hottest-first.ts'
import { keyHash } from './key-hash.ts'
import type { Bounds, Policy, Resident } from './policy.ts'
import { Queue } from './queue.ts'
import { WindowClimber } from './window-climber.ts'

const [window, probation, guarded] = [0, 1, 2]
/** Protected share of the space behind the window. */
const guardedShare = 0.8
/** A candidate that was asked for so often is admitted now and then although it loses. */
const warmCount = 6
const warmAdmission = 128

/**
 * W-TinyLFU (Einziger, Friedman and Manes, ACM ToS 2017): newcomers share a window, whose size follows the hit rate; who
 * leaves it must be requested more often than the entry it would evict. Behind it are two queues: reused entries are protected.
 */
export class WTinyLfu implements Policy {
  readonly #queues = [new Queue(), new Queue(), new Queue()] as const
  readonly #sketch = new FrequencySketch()
  readonly #maxEntries: number
  readonly #maxBytes: number
  readonly #climber = new WindowClimber()
  /** Until then there is nothing to learn: all find room. */
  #hasEvicted = false
  #warmLosers = 0
  /** Entries of a full cache, as large as those that are here: known when one comes, as hits have no time for it. */
  #capacity = 1

  constructor({ maxEntries, maxBytes }: Bounds) {
    this.#maxEntries = maxEntries
    this.#maxBytes = maxBytes
  }

  add(resident: Resident): void {
    const [inWindow] = this.#queues
    resident.rank = keyHash(resident.key)
    this.#put(resident, window)
    const entries = this.#entries
    this.#capacity = entries / Math.max(entries / this.#maxEntries, this.#bytes / this.#maxBytes)
    this.#sketch.ensure(entries)
    this.#count(resident, false)
    while (inWindow.size > 1 && this.#isOver(inWindow, this.#climber.share))
      this.#move(inWindow.oldest as Resident, probation)
  }

  use(resident: Resident): void {
    this.#count(resident, true)
    if (resident.place !== probation) {
      this.#queueOf(resident).renew(resident)
      return
    }
    this.#move(resident, guarded)
    this.#unguard()
  }

  remove(resident: Resident): void {
    this.#queueOf(resident).remove(resident)
  }

  victim(): Resident {
    this.#hasEvicted = true
    const [inWindow, onProbation, inGuard] = this.#queues
    const oldest = onProbation.oldest ?? inGuard.oldest
    const candidate = inWindow.oldest
    if (oldest === undefined || candidate === undefined) return (oldest ?? candidate) as Resident
    if (this.#hasRoom(inWindow)) return oldest
    if (!this.#isAdmitted(candidate, oldest)) return candidate
    this.#move(candidate, probation)
    return oldest
  }

  hottest(): Iterable<Resident> {
    const all = this.#queues.toReversed().flatMap((queue) => Array.from(queue.newestFirst()))
    return hottestFirst(all, ({ rank }) => this.#sketch.of(rank), mostCount)
  }

  get #entries(): number {
    const [inWindow, onProbation, inGuard] = this.#queues
    return inWindow.size + onProbation.size + inGuard.size
  }

  get #bytes(): number {
    const [inWindow, onProbation, inGuard] = this.#queues
    return inWindow.bytes + onProbation.bytes + inGuard.bytes
  }

  #count({ rank }: Resident, isHit: boolean): void {
    this.#sketch.add(rank, this.#capacity)
    if (this.#hasEvicted && this.#climber.count(isHit, this.#capacity)) this.#unguard()
  }

  /** Warm candidates win now and then, so that a key whose counters collide with others is not guarded for ever. */
  #isAdmitted(candidate: Resident, oldest: Resident): boolean {
    const count = this.#sketch.of(candidate.rank)
    if (count > this.#sketch.of(oldest.rank)) return true
    return count >= warmCount && ++this.#warmLosers % warmAdmission === 0
  }

  #unguard(): void {
    const [, , inGuard] = this.#queues
    const share = guardedShare * (1 - this.#climber.share)
    while (inGuard.size > 1 && this.#isOver(inGuard, share)) this.#move(inGuard.oldest as Resident, probation)
  }

  /** Whether one more of the usual size will not fill the window. */
  #hasRoom({ size, bytes }: Queue): boolean {
    const usual = this.#bytes / this.#entries
    const { share } = this.#climber
    return size + 1 <= this.#maxEntries * share && bytes + usual <= this.#maxBytes * share
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
