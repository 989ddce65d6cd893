import type { Bytes } from '@unikv/core'

/** A piece of a stream. */
export interface Piece {
  readonly bytes: Buffer
  readonly isLast: boolean
}

/**
 * A stream cut again, into pieces of one size and a shorter last one. That a piece is the last one is known when it
 * is given, so one is always held back. Pieces are copies: the source may use its buffers again.
 */
export class Pieces {
  readonly #source: AsyncIterator<Bytes>
  readonly #size: number
  /** Bytes that were read and not given yet. */
  #ahead: Bytes = new Uint8Array(0)
  #hasEnded = false

  constructor(source: AsyncIterable<Bytes>, size: number) {
    this.#source = source[Symbol.asyncIterator]()
    this.#size = size
  }

  /** The next piece; after the last one, empty ones. */
  async next(): Promise<Piece> {
    const piece = Buffer.allocUnsafe(this.#size)
    let filled = 0
    while (filled < piece.length && (await this.#hasMore())) {
      const bytes = this.#ahead.subarray(0, piece.length - filled)
      piece.set(bytes, filled)
      filled += bytes.length
      this.#ahead = this.#ahead.subarray(bytes.length)
    }
    return { bytes: piece.subarray(0, filled), isLast: !(await this.#hasMore()) }
  }

  /** All that is left, in one; `undefined` if it has more than `maxBytes`, and then no more than that is read. */
  async rest(maxBytes: number): Promise<Buffer | undefined> {
    const parts: Bytes[] = []
    let bytes = 0
    while (await this.#hasMore()) {
      bytes += this.#ahead.length
      if (bytes > maxBytes) return undefined
      parts.push(Buffer.from(this.#ahead))
      this.#ahead = new Uint8Array(0)
    }
    return Buffer.concat(parts)
  }

  /** The same stream in pieces of another size, with these bytes before what is left. */
  from(bytes: Bytes, size: number): Pieces {
    return new Pieces(this.#after(bytes), size)
  }

  async *#after(bytes: Bytes): AsyncGenerator<Bytes, void, undefined> {
    yield bytes
    while (await this.#hasMore()) {
      const ahead = this.#ahead
      this.#ahead = new Uint8Array(0)
      yield ahead
    }
  }

  /** Nothing more is wanted: the source may close what it reads from. */
  async close(): Promise<void> {
    if (!this.#hasEnded) await this.#source.return?.()
    this.#hasEnded = true
    this.#ahead = new Uint8Array(0)
  }

  /** Reads on until there is a byte that was not given, or the source has ended. */
  async #hasMore(): Promise<boolean> {
    while (this.#ahead.length === 0 && !this.#hasEnded) {
      const { value, done } = await this.#source.next()
      if (done === true) this.#hasEnded = true
      else this.#ahead = value
    }
    return this.#ahead.length > 0
  }
}
