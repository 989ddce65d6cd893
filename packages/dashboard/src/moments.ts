import { Refused } from '@unikv/http/parts'
import { type Moment, momentOf } from '@unikv/monitor/prometheus'
import type { ShownManager } from './options.ts'

/** A moment, by its number. */
export interface KeptMoment {
  readonly id: number
  readonly moment: Moment
}

/** So many of the latest moments can be asked for. */
const mostKept = 10

/** Figures of single moments: a frame, the interface and the text of Prometheus tell the same of one of them. */
export class Moments {
  readonly #monitor: ShownManager['monitor']
  readonly #kept: KeptMoment[] = []
  #lastId = 0

  constructor({ monitor }: ShownManager) {
    this.#monitor = monitor
  }

  /** The figures as they are now; `undefined`: nothing is counted. */
  take(): KeptMoment | undefined {
    if (this.#monitor === undefined) return undefined
    const kept = { id: ++this.#lastId, moment: momentOf(this.#monitor) }
    this.#kept.push(kept)
    if (this.#kept.length > mostKept) this.#kept.shift()
    return kept
  }

  /** That of a number, or a new one. @throws {Refused} if it is not kept any more */
  of(snapshot: string | null): KeptMoment | undefined {
    if (snapshot === null) return this.take()
    const found = this.#kept.find(({ id }) => String(id) === snapshot)
    if (found !== undefined) return found
    throw new Refused(
      404,
      'NOT_FOUND',
      'The figures of this snapshot are not kept any more. Ask for the latest ones.',
    )
  }
}
