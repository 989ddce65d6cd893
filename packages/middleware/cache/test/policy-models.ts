import type { Resident } from '../src/policies/policy.ts'

/** An entry, told apart from others of its key. */
export interface Item extends Resident {
  readonly id: number
}

export const maxEntries = 10
export const maxBytes = 100

/** A cache as the paper of a policy describes it, in arrays: slow, and plain to read. */
export abstract class Model {
  items: Item[] = []
  evictions = 0

  get bytes(): number {
    return sum(this.items)
  }

  get(key: string): Item | undefined {
    const item = this.peek(key)
    if (item !== undefined) this.use(item)
    return item
  }

  peek(key: string): Item | undefined {
    return this.items.find((one) => one.key === key)
  }

  set(item: Item): void {
    this.delete(item.key)
    if (item.bytes > maxBytes) return
    while (this.items.length >= maxEntries || this.bytes + item.bytes > maxBytes) {
      this.leave(this.victim())
      this.evictions++
    }
    this.items.push(item)
    this.come(item)
  }

  delete(key: string): void {
    const item = this.peek(key)
    if (item === undefined) return
    this.leave(item)
    this.invalidated(item)
  }

  /** Forget everything, and who was here. */
  abstract clear(): void
  protected abstract come(item: Item): void
  protected abstract use(item: Item): void
  protected abstract victim(): Item
  protected abstract gone(item: Item): void
  protected invalidated(_item: Item): void {}

  protected leave(item: Item): void {
    this.items = this.items.filter((one) => one !== item)
    this.gone(item)
  }
}

export class LruModel extends Model {
  clear(): void {
    this.items = []
  }
  protected come(): void {}
  protected use(item: Item): void {
    this.items = [...this.items.filter((one) => one !== item), item]
  }
  protected victim(): Item {
    return this.items[0] as Item
  }
  protected gone(): void {}
}

/** From the oldest to the newest; the hand points at the next to look at. */
export class SieveModel extends Model {
  #visited = new Set<Item>()
  #hand: Item | undefined

  clear(): void {
    this.items = []
    this.#visited = new Set()
    this.#hand = undefined
  }
  protected come(): void {}
  protected use(item: Item): void {
    this.#visited.add(item)
  }
  protected victim(): Item {
    let at = this.#hand === undefined ? 0 : this.items.indexOf(this.#hand)
    while (this.#visited.delete(this.items[at] as Item)) at = (at + 1) % this.items.length
    const item = this.items[at] as Item
    this.#hand = item
    return item
  }
  protected override leave(item: Item): void {
    if (this.#hand === item) this.#hand = this.items[this.items.indexOf(item) + 1]
    super.leave(item)
  }
  protected gone(item: Item): void {
    this.#visited.delete(item)
  }
}

/** A tenth for newcomers, and a list of those that went before nine tenths of the cache did. */
export class S3FifoModel extends Model {
  #small: Item[] = []
  #main: Item[] = []
  #uses = new Map<Item, number>()
  #ghosts: { readonly key: string; readonly at: number }[] = []
  #passed = 0
  #hasEvicted = false

  clear(): void {
    this.items = []
    this.#small = []
    this.#main = []
    this.#ghosts = []
    this.#hasEvicted = false
  }
  protected come(item: Item): void {
    const ghost = this.#ghosts.find(({ key }) => key === item.key)
    this.#ghosts = this.#ghosts.filter((one) => one !== ghost)
    const isBack = ghost !== undefined && this.#passed - ghost.at < 0.9 - 1e-9
    const toMain = isBack || (!this.#hasEvicted && isOver(this.#small, 0.1))
    ;(toMain ? this.#main : this.#small).push(item)
    this.#uses.set(item, 0)
  }
  protected use(item: Item): void {
    this.#uses.set(item, Math.min(3, this.#usesOf(item) + 1))
  }
  protected victim(): Item {
    this.#hasEvicted = true
    return (isOver(this.#main, 0.9) ? undefined : this.#fromSmall()) ?? this.#fromMain()
  }
  #fromSmall(): Item | undefined {
    for (let item = this.#small.shift(); item !== undefined; item = this.#small.shift()) {
      if (this.#usesOf(item) <= 1) {
        this.#remember(item)
        return item
      }
      this.#uses.set(item, 0)
      this.#main.push(item)
    }
    return undefined
  }
  #fromMain(): Item {
    for (;;) {
      const item = this.#main.shift() as Item
      if (this.#usesOf(item) === 0) return item
      this.#uses.set(item, this.#usesOf(item) - 1)
      this.#main.push(item)
    }
  }
  protected override invalidated(item: Item): void {
    if (this.#wasMain || this.#usesOf(item) > 1) this.#remember(item)
  }
  #wasMain = false
  protected gone(item: Item): void {
    this.#wasMain = this.#main.includes(item)
    this.#small = this.#small.filter((one) => one !== item)
    this.#main = this.#main.filter((one) => one !== item)
  }
  #usesOf(item: Item): number {
    return this.#uses.get(item) ?? 0
  }
  #remember({ key, bytes }: Item): void {
    this.#passed += Math.max(1 / maxEntries, bytes / maxBytes)
    this.#ghosts = [...this.#ghosts.filter((one) => one.key !== key), { key, at: this.#passed }]
  }
}

/** Uses × cost / bytes, above what the last victim was worth. */
export class GdsfModel extends Model {
  #worth = new Map<Item, number>()
  #uses = new Map<Item, number>()
  #floor = 0

  clear(): void {
    this.items = []
    this.#floor = 0
  }
  protected come(item: Item): void {
    this.#value(item, 1)
  }
  protected use(item: Item): void {
    this.#value(item, (this.#uses.get(item) as number) + 1)
  }
  #value(item: Item, uses: number): void {
    this.#uses.set(item, uses)
    this.#worth.set(item, this.#floor + (uses * item.cost) / item.bytes)
  }
  protected victim(): Item {
    const least = this.items.reduce((one, other) => (this.worthOf(other) < this.worthOf(one) ? other : one))
    this.#floor = this.worthOf(least)
    return least
  }
  worthOf(item: Item): number {
    return this.#worth.get(item) as number
  }
  protected gone(): void {}
}

function isOver(items: readonly Item[], share: number): boolean {
  return items.length > maxEntries * share || sum(items) > maxBytes * share
}

function sum(items: readonly Item[]): number {
  return items.reduce((bytes, item) => bytes + item.bytes, 0)
}
