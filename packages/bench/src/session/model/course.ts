import type { StoreError } from '@unikv/core'
import { invalidConfig } from '@unikv/core/adapter'
import type { Draws } from './draws.ts'
import type { CheckedModel } from './session-model.ts'
import { drawnMs, thinkAround } from './think-time.ts'
import { end, type Row, rowAfter, start } from './transitions.ts'

/** A session that passes so many states without an interaction hardly ever comes to one, even if weights allow it. */
const mostPassed = 1_000_000

/** The next interaction of a session. */
export interface Step {
  readonly name: string
  /** Think time before it, in milliseconds: that after the previous interaction included. */
  readonly thinkMs: number
}

/** The way of one session through the states of its model: no data is accessed. */
export class Course {
  readonly #model: CheckedModel
  readonly #draw: Draws
  readonly #startedAt: number
  readonly #onState: ((name: string) => unknown) | undefined
  #count = 0
  /** States since the last interaction. */
  #passed = 0

  /**
   * @param startedAt when the session begins, in milliseconds of any clock
   * @param onState told of every state that the session comes to
   */
  constructor(model: CheckedModel, draw: Draws, startedAt: number, onState?: (name: string) => unknown) {
    this.#model = model
    this.#draw = draw
    this.#startedAt = startedAt
    this.#onState = onState
  }

  /** Interactions so far, the one that was told last included. */
  get count(): number {
    return this.#count
  }

  /** The first interaction; `undefined`: the session is over. */
  first(now: number): Step | undefined {
    return this.#step(now, this.#after(start), 0)
  }

  /** The interaction after another one and its result mode; `undefined`: the session is over. */
  next(now: number, name: string, mode?: string): Step | undefined {
    const { think, limits } = this.#model
    if (this.#count >= limits.maxCount) return undefined
    const { after } = thinkAround(think, name)
    return this.#step(now, this.#after(name, mode), drawnMs(after, this.#draw))
  }

  #step(now: number, reached: string, afterMs: number): Step | undefined {
    const { think, limits } = this.#model
    let name = reached
    while (name === end && now - this.#startedAt < limits.minTimeMs) name = this.#after(start)
    if (name === end) return undefined
    const { before } = thinkAround(think, name)
    const thinkMs = afterMs + drawnMs(before, this.#draw)
    if (now + thinkMs - this.#startedAt >= limits.maxTimeMs) return undefined
    this.#count++
    this.#passed = 0
    return { name, thinkMs }
  }

  /** The next state with an interaction, or `END`. */
  #after(name: string, mode?: string): string {
    if (name === start) this.#onState?.(start)
    let next = this.#drawn(rowAfter(this.#model.rows, name, mode))
    for (;;) {
      if (++this.#passed > mostPassed) throw idle(next)
      this.#onState?.(next)
      if (next === end || this.#model.modes.has(next)) return next
      next = this.#drawn(rowAfter(this.#model.rows, next))
    }
  }

  #drawn({ names, shares }: Row): string {
    let left = this.#draw.share()
    let last = ''
    for (const [index, share] of shares.entries()) {
      if (share === 0) continue
      last = names[index] as string
      left -= share
      if (left < 0) return last
    }
    return last
  }
}

function idle(name: string): StoreError {
  return invalidConfig(
    `A session passed by ${mostPassed.toLocaleString('en')} states without an interaction, the last one ${name}. Give the states that lead on a larger weight.`,
  )
}
