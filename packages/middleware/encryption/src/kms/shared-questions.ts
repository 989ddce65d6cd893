import type { CallOptions } from '@unikv/core'
import { derive, leftMs } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { awaited } from './asking.ts'

/** A question to the services, and who waits for its answer: the last of them overwrites the root that came. */
export interface SharedQuestion<T> {
  readonly answer: Promise<T>
  waiting: number
  root: Buffer | undefined
  /** Whether what comes must not be kept. */
  isForgotten: boolean
}

/** Its own memory; the holder must overwrite it. */
export function copyOf(root: Buffer): Buffer {
  const copy = Buffer.alloc(root.length)
  copy.set(root)
  return copy
}

/** Questions that are under way, by name: the latest of each is the one that others wait for. */
export class SharedQuestions<T> {
  readonly #latest = new Map<string, SharedQuestion<T>>()
  /** Those too that a later one took the place of. */
  readonly #underWay = new Set<SharedQuestion<T>>()
  readonly #joinMs: number

  /** @param joinMs Longest wait for a question that somebody else has asked. */
  constructor(joinMs: number) {
    this.#joinMs = joinMs
  }

  /**
   * `take` of an answer, within the own call: of the question that is under way, if it is answered within
   * `joinMs`, else of one that `begin` asks. A lost request then affects only the caller that made it. `undefined` if
   * another caller asked once more and had its answer meanwhile: it may be kept by now.
   */
  async answer<U>(
    name: string,
    call: CallOptions,
    take: (answer: T, shared: SharedQuestion<T>) => U,
    begin: () => SharedQuestion<T>,
  ): Promise<U | undefined> {
    let joined = this.#latest.get(name)
    while (joined !== undefined) {
      const wait = derive(call, { until: performance.now() + this.#joinMs, sent: 'own' })
      try {
        return await whatCame(joined, wait, take)
      } catch (error) {
        if (!hasEnded(wait, call) || !this.#underWay.has(joined)) throw error
      }
      const latest = this.#latest.get(name)
      if (latest === undefined) return undefined
      joined = latest === joined ? undefined : latest
    }
    return whatCame(begin(), call, take)
  }

  /** Among those that others can wait for, until it is over; `cameOf` sees the answer before its root may be overwritten. */
  begun(
    name: string,
    answer: Promise<T>,
    cameOf: (answer: T, shared: SharedQuestion<T>) => Buffer,
  ): SharedQuestion<T> {
    const shared: SharedQuestion<T> = { answer, waiting: 0, root: undefined, isForgotten: false }
    this.#latest.set(name, shared)
    this.#underWay.add(shared)
    const over = (root?: Buffer): void => {
      if (this.#latest.get(name) === shared) this.#latest.delete(name)
      this.#underWay.delete(shared)
      shared.root = root
      if (shared.waiting === 0) root?.fill(0)
    }
    answer.then(
      (made) => over(cameOf(made, shared)),
      () => over(),
    )
    return shared
  }

  /** Keep nothing of the questions under way; later callers do not wait for them. */
  forget(): void {
    for (const shared of this.#underWay) shared.isForgotten = true
    this.#latest.clear()
  }
}

/** Whether it was this wait that ended, and the call goes on. */
function hasEnded(wait: CallOptions, call: CallOptions): boolean {
  return leftMs(wait) <= 0 && leftMs(call) > 0 && call.signal?.aborted !== true
}

/** The part of an answer that one waiting caller takes, within its own call. */
async function whatCame<T, U>(
  shared: SharedQuestion<T>,
  call: CallOptions,
  take: (answer: T, shared: SharedQuestion<T>) => U,
): Promise<U> {
  shared.waiting++
  try {
    return take(await awaited(shared.answer, call), shared)
  } finally {
    shared.waiting--
    if (shared.waiting === 0) shared.root?.fill(0)
  }
}
