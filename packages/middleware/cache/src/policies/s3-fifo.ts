import { Ghosts } from './ghosts.ts'
import { hottestFirst } from './hottest-first.ts'
import type { Bounds, Policy, Resident } from './policy.ts'
import { Queue } from './queue.ts'

const [small, main, gone] = [0, 1, 2]
/** The part of the cache that newcomers share. */
const smallShare = 0.1
const mostUses = 3

/**
 * S3-FIFO (Yang, Zhang, Qiu, Yue and Rashmi, SOSP 2023): new entries share a tenth; an entry that was used more than once there moves
 * to the main queue, the others go and leave their keys behind, and who comes back soon comes to the main queue at once.
 * In there, one more round for each use. A hit counts to three and moves nothing.
 */
export class S3Fifo implements Policy {
  readonly #small = new Queue()
  readonly #main = new Queue()
  readonly #ghosts = new Ghosts(1 - smallShare)
  readonly #bounds: Bounds
  /** Until then the main queue takes what the small one has no room for. */
  #hasEvicted = false

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  add(resident: Resident): void {
    resident.uses = 0
    const isBack = this.#ghosts.take(resident.key)
    const isFirst = !this.#hasEvicted && this.#isOver(this.#small, smallShare)
    this.#put(resident, isBack || isFirst ? main : small)
  }

  use(resident: Resident): void {
    if (resident.uses < mostUses) resident.uses++
  }

  /** An entry that was removed by other means, such as an invalidation, comes back to where it was. */
  remove(resident: Resident): void {
    const { place, uses } = resident
    if (place === gone) return
    this.#queueOf(place).remove(resident)
    if (place === main || uses > 1) this.#remember(resident)
  }

  victim(): Resident {
    this.#hasEvicted = true
    const isMainOver = this.#isOver(this.#main, 1 - smallShare)
    return (isMainOver ? undefined : this.#fromSmall()) ?? (this.#fromMain() as Resident)
  }

  hottest(): Iterable<Resident> {
    const all = [...this.#main.newestFirst(), ...this.#small.newestFirst()]
    return hottestFirst(all, ({ uses }) => uses, mostUses)
  }

  #isOver({ size, bytes }: Queue, share: number): boolean {
    const { maxEntries, maxBytes } = this.#bounds
    return size > maxEntries * share || bytes > maxBytes * share
  }

  #remember({ key, bytes }: Resident): void {
    const { maxEntries, maxBytes } = this.#bounds
    const part = Math.max(1 / maxEntries, bytes / maxBytes)
    this.#ghosts.add(key, part, this.#small.size + this.#main.size)
  }

  #queueOf(place: number): Queue {
    return place === main ? this.#main : this.#small
  }

  #put(resident: Resident, place: number): void {
    resident.place = place
    this.#queueOf(place).push(resident)
  }

  #fromSmall(): Resident | undefined {
    for (let one = this.#small.oldest; one !== undefined; one = this.#small.oldest) {
      this.#small.remove(one)
      if (one.uses <= 1) {
        this.#remember(one)
        return leaving(one)
      }
      one.uses = 0
      this.#put(one, main)
    }
    return undefined
  }

  #fromMain(): Resident | undefined {
    for (let one = this.#main.oldest; one !== undefined; one = this.#main.oldest) {
      this.#main.remove(one)
      if (one.uses === 0) return leaving(one)
      one.uses--
      this.#put(one, main)
    }
    return undefined
  }
}

function leaving(resident: Resident): Resident {
  resident.place = gone
  return resident
}
