import { isStoreError, type Version } from '@unikv/core'
import { pause } from '@unikv/core/platform'
import type { OutboxRecords, Removed } from './records.ts'

/** Most messages in one request. */
const most = 100

/** A message that was handed on. */
export interface HandedOn {
  readonly lane: number
  readonly number: number
  readonly version: Version
}

/** How long a removal goes on after errors. */
export interface Persistence {
  readonly isWanted: () => boolean
  readonly tell: (error: unknown) => void
}

interface Asked {
  readonly message: HandedOn
  readonly answer: (removed: Removed) => void
}

/** Removes messages that were handed on: those that come while a request is under way go together in the next one. */
export class Removing {
  readonly #records: OutboxRecords
  #asked: Asked[] = []
  #isBusy = false

  constructor(records: OutboxRecords) {
    this.#records = records
  }

  /** Remove one. It is tried again while that is wanted; `undefined`: it may still be there. `'gone'`: it was not there any more. */
  async remove(message: HandedOn, { isWanted, tell }: Persistence): Promise<'removed' | 'gone' | undefined> {
    for (let count = 0; ; count++) {
      const removed = await new Promise<Removed>((answer) => {
        this.#asked.push({ message, answer })
        void this.#run()
      })
      if (!isStoreError(removed)) return removed
      tell(removed)
      if (!isWanted()) return undefined
      await pause(Math.min(1000, 10 * 2 ** count))
    }
  }

  async #run(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    while (this.#asked.length > 0) {
      const batch = this.#asked.splice(0, most)
      const results = await this.#records.remove(batch.map(({ message }) => message))
      for (const [i, { answer }] of batch.entries()) answer(results[i] as Removed)
    }
    this.#isBusy = false
  }
}
