/**
 * Deadlines of many waiting calls for the price of one timer: entries of one duration expire in the order in
 * which they came, so each duration is a doubly linked list, and one coarse interval looks at the heads.
 *
 * Its clock is logical and advances at most two ticks a tick: after an event loop that was blocked for longer
 * than the timeout, replies that wait in the socket are read before anything expires.
 */
export class Deadlines {
  readonly #lists = new Map<number, DeadlineList>()
  #ticks = 0
  #lastTickAt = 0
  #timer: NodeJS.Timeout | undefined

  /** Call `node.expire` in about `timeoutMs` (never earlier, at most two ticks of 25 ms later) unless removed. */
  add(timeoutMs: number, node: DeadlineNode): void {
    const list = this.#list(timeoutMs)
    // One tick more, as the current one may be about to end.
    node.expiresAt = this.#ticks + Math.ceil(timeoutMs / tickMs) + 1
    node.list = list
    node.previous = list.last
    if (list.last === undefined) list.first = node
    else list.last.next = node
    list.last = node
    if (this.#timer === undefined) this.#start()
  }

  /** Forget a node; one that is not waiting is none. */
  remove(node: DeadlineNode): void {
    const { list, previous, next } = node
    if (list === undefined) return
    if (previous === undefined) list.first = next
    else previous.next = next
    if (next === undefined) list.last = previous
    else next.previous = previous
    node.list = undefined
    node.previous = undefined
    node.next = undefined
  }

  #list(timeoutMs: number): DeadlineList {
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
      while (list.first !== undefined && list.first.expiresAt <= this.#ticks) {
        const node = list.first
        this.remove(node)
        node.expire()
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

/** One waiting call: its own place in the list of its duration, which saves an object a call. */
export interface DeadlineNode {
  /** In ticks of the logical clock. */
  expiresAt: number
  list: DeadlineList | undefined
  previous: DeadlineNode | undefined
  next: DeadlineNode | undefined
  expire(): void
}

/** The calls of one duration, the first to expire first. */
export interface DeadlineList {
  first: DeadlineNode | undefined
  last: DeadlineNode | undefined
}

/** The deadlines of this process: one timer however many stores. */
export const deadlines: Deadlines = new Deadlines()
