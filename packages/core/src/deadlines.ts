/**
 * Deadlines of many waiting calls for the price of one timer: entries of one duration expire in the order in
 * which they came, so each duration is a doubly linked list, and one coarse interval looks at the heads.
 *
 * Its clock is logical and advances at most two ticks a tick: after an event loop that was blocked for longer
 * than the timeout, replies that wait in the socket are read before anything expires.
 */
export class Deadlines {
  readonly #lists = new Map<number, List>()
  #ticks = 0
  #lastTickAt = 0
  #timer: NodeJS.Timeout | undefined

  /** Call `owner.expire` in about `timeoutMs` (never earlier, at most two ticks of 25 ms later) unless removed. */
  add(timeoutMs: number, owner: Expirable): Deadline {
    const list = this.#list(timeoutMs)
    // One tick more, as the current one may be about to end.
    const entry: Deadline = {
      at: this.#ticks + Math.ceil(timeoutMs / tickMs) + 1,
      owner,
      list,
      previous: list.last,
      next: undefined,
    }
    if (list.last === undefined) list.first = entry
    else list.last.next = entry
    list.last = entry
    if (this.#timer === undefined) this.#start()
    return entry
  }

  remove(entry: Deadline): void {
    const { list, previous, next } = entry
    if (list === undefined) return
    if (previous === undefined) list.first = next
    else previous.next = next
    if (next === undefined) list.last = previous
    else next.previous = previous
    entry.list = undefined
  }

  #list(timeoutMs: number): List {
    let list = this.#lists.get(timeoutMs)
    if (list === undefined) {
      list = { first: undefined, last: undefined }
      this.#lists.set(timeoutMs, list)
    }
    return list
  }

  #start(): void {
    this.#lastTickAt = performance.now()
    this.#timer = setInterval(() => this.#tick(), tickMs)
    this.#timer.unref()
  }

  #tick(): void {
    const now = performance.now()
    const passed = Math.floor((now - this.#lastTickAt) / tickMs)
    if (passed === 0) return
    this.#lastTickAt = passed > 2 ? now : this.#lastTickAt + passed * tickMs
    this.#ticks += Math.min(passed, 2)
    for (const [timeoutMs, list] of this.#lists) {
      while (list.first !== undefined && list.first.at <= this.#ticks) {
        const entry = list.first
        this.remove(entry)
        entry.owner.expire()
      }
      if (list.first === undefined) this.#lists.delete(timeoutMs)
    }
    if (this.#lists.size === 0) this.#stop()
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

const tickMs = 25

/** What a deadline ends. */
export interface Expirable {
  expire(): void
}

/** One waiting call. */
export interface Deadline {
  readonly at: number
  readonly owner: Expirable
  list: List | undefined
  previous: Deadline | undefined
  next: Deadline | undefined
}

interface List {
  first: Deadline | undefined
  last: Deadline | undefined
}

/** The deadlines of this process: one timer however many stores. */
export const deadlines: Deadlines = new Deadlines()
