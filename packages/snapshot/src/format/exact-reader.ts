import type { Bytes } from '@unikv/core'
import { bufferOf } from '@unikv/core/adapter'
import { damaged } from './layout.ts'

/** Reads exact lengths from a stream of pieces of any length. */
export class ExactReader {
  readonly #source: AsyncIterator<Bytes>
  #pieces: Bytes[] = []
  #held = 0

  constructor(source: AsyncIterable<Bytes>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /**
   * The next bytes, that many.
   *
   * @throws {StoreError} `CORRUPT` if there are not so many
   */
  async take(length: number): Promise<Buffer> {
    while (this.#held < length) if (!(await this.#more())) throw damaged('it is cut short')
    const all = this.#pieces.length === 1 ? bufferOf(this.#pieces[0] as Bytes) : Buffer.concat(this.#pieces)
    this.#held = all.length - length
    this.#pieces = this.#held === 0 ? [] : [all.subarray(length)]
    return all.subarray(0, length)
  }

  /** @throws {StoreError} `CORRUPT` if something follows */
  async end(): Promise<void> {
    while (this.#held === 0) if (!(await this.#more())) return
    throw damaged('something follows its end')
  }

  /** Release the source. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#source.next()
    if (done === true) return false
    if (value.length > 0) this.#pieces.push(value)
    this.#held += value.length
    return true
  }
}
